/** When debits are sent to the bank. Pure. */
import { addTargetDays, onOrAfterTargetDay } from '../../platform/kit/calendar.ts'
import type { Day } from '../../platform/kit/dates.ts'

/** Direct debits are sent to the bank this many TARGET days before they are due. */
const DEBIT_NOTICE_TARGET_DAYS = 2

/** A direct debit keeps its date and account from this many TARGET days before it is due. */
const DEBIT_FREEZE_TARGET_DAYS = 3

/**
 * The last day of the freeze: direct debits due by then keep their date and account. A later debit
 * can be moved to this day at the earliest.
 */
export function frozenUntil(today: Day): Day {
  return addTargetDays(today, DEBIT_FREEZE_TARGET_DAYS)
}

/**
 * The latest due date of direct debits sent today, which is also the earliest date of a new one.
 */
export function debitsUntil(today: Day): Day {
  return addTargetDays(today, DEBIT_NOTICE_TARGET_DAYS)
}

/**
 * The scheme's minimum: a collection reaches the debtor's bank one TARGET day before it is due.
 * Sent on a closed day, it arrives on the next TARGET day.
 */
const SCHEME_NOTICE_TARGET_DAYS = 1

/**
 * The earliest date of a debit that replaces a recalled one, if sent before the cut-off. The
 * scheme's minimum suffices, because the payer was already notified of the recalled debit.
 */
export function earliestReplacementDay(today: Day): Day {
  return addTargetDays(onOrAfterTargetDay(today), SCHEME_NOTICE_TARGET_DAYS)
}

/** The earliest date of a payment sent on a given day; direct debits need a notice period. */
export function firstDayOf(
  { payment_method, recalled_payment_id = null }: PaymentToSend,
  handed_over_on: Day,
): Day {
  if (payment_method !== 'DIRECT_DEBIT') return handed_over_on
  return recalled_payment_id === null
    ? debitsUntil(handed_over_on)
    : earliestReplacementDay(handed_over_on)
}

interface PaymentToSend {
  readonly payment_method: string
  readonly recalled_payment_id?: string | null
}

/** Whether the payment must be sent now, because a later run would be too late. */
export function isDue(
  { payment_method, scheduled_on }: { payment_method: string; scheduled_on: Day },
  today: Day,
): boolean {
  return scheduled_on <= firstDayOf({ payment_method }, today)
}
