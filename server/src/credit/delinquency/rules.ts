/** The consequences of overdue debts: reminders, suspension, delinquency buckets. Pure. */
import type { DenialCode } from '@headroom/contract'
import type { BorrowerRow } from '../../companies/borrowers/index.ts'

/** Thresholds of a product, in days past due. */
export interface Thresholds {
  /** Up to this many days past due, a loan does not suspend its borrower. */
  readonly late_grace_days: number
  readonly reminder_days: readonly number[]
  /** The day from which a loan is handed to collections. */
  readonly case_days: number
}

/** The denial code of a borrower suspended for overdue debts. */
export type Suspension = Extract<DenialCode, 'LATE_REPAYMENT_BORROWER' | 'RECENT_DEBT_ARREARS_KO'>

const SUSPENSIONS: readonly (string | null)[] = [
  'LATE_REPAYMENT_BORROWER',
  'RECENT_DEBT_ARREARS_KO',
] satisfies Suspension[]

/**
 * The reminder to send now, identified by its day, or null. If several are due, only the latest is
 * sent.
 */
export function reminderDue(
  days_dunned: number,
  { reminder_days }: Pick<Thresholds, 'reminder_days'>,
  reminded_day: number,
): number | null {
  const reached = Math.max(0, ...reminder_days.filter(day => day <= days_dunned))
  return reached > reminded_day ? reached : null
}

/**
 * The reason to suspend a borrower for overdue debts; null if there is none. `held` is whether
 * `readBlockedByOverdue` returned the borrower.
 */
export function suspensionOf(facts: {
  readonly late: readonly { readonly days_dunned: number; readonly late_grace_days: number }[]
  readonly held: boolean
  readonly bill_unpaid: boolean
}): Suspension | null {
  const late = facts.late.some(loan => loan.days_dunned > loan.late_grace_days)
  if (late || facts.held) return 'LATE_REPAYMENT_BORROWER'
  return facts.bill_unpaid ? 'RECENT_DEBT_ARREARS_KO' : null
}

/**
 * The borrower's current suspension for overdue debts. Null if it is not blocked, or blocked for
 * another reason.
 */
export function suspendedFor({
  status,
  status_reason,
}: Pick<BorrowerRow, 'status' | 'status_reason'>): Suspension | null {
  const ours = status === 'BLOCKED' && SUSPENSIONS.includes(status_reason)
  return ours ? (status_reason as Suspension) : null
}

export interface Bucket {
  readonly bucket: string
  /** The first day past due in the bucket. */
  readonly from_days: number
}

/**
 * The buckets of a product from their first days, ascending: 1, 31 and 61 give `1-30`, `31-60` and
 * `60+`. Loans that are not overdue are `current`.
 */
export function bucketsOf(first_days: readonly number[]): Bucket[] {
  const late = first_days.map((from_days, index) => {
    const next = first_days[index + 1]
    const bucket = next === undefined ? `${from_days - 1}+` : `${from_days}-${next - 1}`
    return { bucket, from_days }
  })
  return [{ bucket: 'current', from_days: 0 }, ...late]
}

export function bucketOf(days_late: number, first_days: readonly number[]): Bucket {
  return bucketsOf(first_days).findLast(b => days_late >= b.from_days)!
}
