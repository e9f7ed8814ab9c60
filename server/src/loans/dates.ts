/** When a loan is collected, and from when on its repayment date may be. Pure. */
import { addTargetDays, isTargetDay, onOrAfterTargetDay } from '../kit/calendar.ts'
import { type Day, max, momentOf, parisDay } from '../kit/dates.ts'

/** A debit is handed to the bank this many TARGET days before it is due. */
export const DEBIT_NOTICE_TARGET_DAYS = 2
/** Its amount and date are frozen this many TARGET days before. */
export const DEBIT_FREEZE_TARGET_DAYS = 3

export type RepaymentMethod = 'DIRECT_DEBIT' | 'SCT' | 'P2P'

/**
 * The day a direct debit falls on: the agreed day, rolled forward to a TARGET day, or the first
 * one that the notice still allows when the loan is shorter than that.
 */
export function collectionDay(to_repay_on: Day, today: Day): Day {
  return max(onOrAfterTargetDay(to_repay_on), addTargetDays(today, DEBIT_NOTICE_TARGET_DAYS))
}

const CUT_OFF_DEFAULT = '15:00'

/**
 * The first day whose debit may still be changed, or be made one: three TARGET days ahead, counted
 * from tomorrow on once the cut-off (Paris time, HH:MM) of a TARGET day has passed.
 */
export function firstFreeDebitDay(now: Date, cutOff: string = CUT_OFF_DEFAULT): Day {
  const today = parisDay(now)
  const [hour, minute] = cutOff.split(':').map(Number)
  const passed = isTargetDay(today) && now >= momentOf(today, hour!, minute!)
  return addTargetDays(today, DEBIT_FREEZE_TARGET_DAYS + (passed ? 1 : 0))
}

/** The earliest repayment day that may be asked for (domain.md, PATCH). */
export function earliestToRepay(method: RepaymentMethod, now: Date, cutOff?: string): Day {
  return method === 'DIRECT_DEBIT' ? firstFreeDebitDay(now, cutOff) : parisDay(now)
}

/** Core debits may come back for five TARGET days, B2B ones for three. */
export function revocableUntil(value_on: Day, scheme: 'CORE' | 'B2B'): Day {
  return addTargetDays(value_on, scheme === 'B2B' ? 3 : 5)
}
