/** On which days orders are handed over and executed. Pure. */
import { addTargetDays, isTargetDay, onOrAfterTargetDay } from '../../../platform/kit/calendar.ts'
import { type Day, max, momentOf, parisDay } from '../../../platform/kit/dates.ts'
import type { BankProfile, Scheme } from '../../bank-files/index.ts'

/** Until when the bank takes orders on the last day for them: Paris times like 15:30. */
export interface CutOffs {
  readonly transfer: string
  readonly debit: string
}

type LeadDays = BankProfile['debit_lead_days']

/** The TARGET day that an order handed over at `now` counts for. */
export function handOverDay(now: Date, cutOff: string): Day {
  const today = parisDay(now)
  return isOpen(now, cutOff) ? today : addTargetDays(today, 1)
}

/** Whether what is handed over at `now` counts for today. */
function isOpen(now: Date, cutOff: string): boolean {
  const today = parisDay(now)
  const [hour, minute] = cutOff.split(':').map(Number)
  return isTargetDay(today) && now < momentOf(today, hour!, minute)
}

/** When an order is executed, and when the bank must have it for that. A transfer has no scheme. */
export function datesOf(
  scheme: Scheme | null,
  requested_on: Day,
  leadDays: LeadDays,
): { execute_on: Day; hand_over_on: Day } {
  const execute_on = onOrAfterTargetDay(requested_on)
  const hand_over_on = scheme ? addTargetDays(execute_on, -leadDays[scheme]) : execute_on
  return { execute_on, hand_over_on }
}

/** The orders of a kind that are put into files now. */
export interface Due {
  readonly kind: 'SCT' | Scheme
  /** The last of the days to hand orders over on. */
  readonly until: Day
  /** Orders that missed their day are executed on this one. */
  readonly first_on: Day
}

/**
 * What is put into files at `now`. Files are written on TARGET days before the cut-off only: after
 * it, today's orders are late and those of the next day can still be recalled.
 */
export function dueAt(now: Date, cutOffs: CutOffs, leadDays: LeadDays): readonly Due[] {
  const today = parisDay(now)
  const ofDebits = (kind: Scheme): Due => ({
    kind,
    until: today,
    first_on: addTargetDays(today, leadDays[kind]),
  })
  return [
    ...(isOpen(now, cutOffs.transfer)
      ? [{ kind: 'SCT', until: today, first_on: today } as const]
      : []),
    ...(isOpen(now, cutOffs.debit) ? [ofDebits('CORE'), ofDebits('B2B')] : []),
  ]
}

/** Implements `Bank.payoutDay`. The earlier of the two cut-offs counts. */
export function payoutDay(requested: Day, now: Date, cutOff: string, { transfer }: CutOffs): Day {
  const earlier = cutOff < transfer ? cutOff : transfer
  return onOrAfterTargetDay(max(requested, handOverDay(now, earlier)))
}
