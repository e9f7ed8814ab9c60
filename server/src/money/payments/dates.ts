/** When debits are handed over to the bank. Pure. */
import { addTargetDays, onOrAfterTargetDay } from '../../platform/kit/calendar.ts'
import type { Day } from '../../platform/kit/dates.ts'

/** A direct debit is handed to the bank this many TARGET days before it is due (domain.md, SDD). */
const DEBIT_NOTICE_TARGET_DAYS = 2

/** A debit's amount, date and means are frozen this many TARGET days before it is due. */
const DEBIT_FREEZE_TARGET_DAYS = 3

/**
 * Direct debits until this day are frozen today: a change reaches those that are more than three
 * TARGET days ahead, and what becomes one by it lies on this day at the earliest (domain.md).
 */
export function frozenUntil(today: Day): Day {
  return addTargetDays(today, DEBIT_FREEZE_TARGET_DAYS)
}

/** The last day whose direct debits are handed over today, and the first one they may have. */
export function debitsUntil(today: Day): Day {
  return addTargetDays(today, DEBIT_NOTICE_TARGET_DAYS)
}

/**
 * SEPA's own latest: a collection reaches the debtor's bank one TARGET day before it is due. What
 * is handed over on a closed day reaches it on the next TARGET day.
 */
const SCHEME_NOTICE_TARGET_DAYS = 1

/**
 * The first day that what is left of a recalled debit may have, handed over on a day before the
 * cut-off. Its payer was told of a greater debit that day already.
 */
export function restFrom(today: Day): Day {
  return addTargetDays(onOrAfterTargetDay(today), SCHEME_NOTICE_TARGET_DAYS)
}

/** The first day that what is handed over on a day may have: a direct debit needs its notice. */
export function firstDayOf(
  { payment_method, recalled_payment_id = null }: HandedOver,
  handed_over_on: Day,
): Day {
  if (payment_method !== 'DIRECT_DEBIT') return handed_over_on
  return recalled_payment_id === null ? debitsUntil(handed_over_on) : restFrom(handed_over_on)
}

interface HandedOver {
  readonly payment_method: string
  /** The debit in whose place it is. */
  readonly recalled_payment_id?: string | null
}

/** Whether it is to be handed over by now: nothing would instruct it later in time. */
export function isDue(
  { payment_method, scheduled_on }: { payment_method: string; scheduled_on: Day },
  today: Day,
): boolean {
  return scheduled_on <= firstDayOf({ payment_method }, today)
}
