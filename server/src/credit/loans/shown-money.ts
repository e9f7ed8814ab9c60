/**
 * The amounts and days in a loan's view that change only when its money does, not from day to day.
 */
import type { Tx } from '../../platform/db/transaction.ts'
import { recordFigures } from '../../platform/events/index.ts'
import { type Day, day, daysBetween } from '../../platform/kit/dates.ts'
import { maxAmount } from '../../platform/kit/money.ts'
import type { LoanRow } from './store.ts'

/**
 * Amounts in cents. A negative repaid amount (refunds lent beyond all repayments) is shown as 0.
 */
export function shownAmounts(loan: LoanRow) {
  const [repaid, paid] = [maxAmount(loan.principal_repaid, 0n), maxAmount(loan.interest_paid, 0n)]
  return {
    paid_interests_amount: paid,
    repaid_amount: repaid + paid,
    repaid_nominal_amount: repaid,
    reclaimed_refunds_amount: loan.refunds_reclaimed,
    written_off_amount: loan.principal_written_off + loan.interest_written_off,
    recovered_amount: loan.principal_recovered + loan.interest_recovered,
  }
}

/** Days; only the due date is never null. */
export function shownDays(loan: LoanRow) {
  return {
    paid_at: loan.paid_out_on,
    to_repay_at: loan.falls_due_on,
    repaid_nominal_at: loan.principal_repaid_on,
    written_off_at: loan.written_off_on,
  }
}

/** Records which shown amounts and days have changed. A recovery also raises `Loan.RECOVERED`. */
export function recordMoney(tx: Tx, before: LoanRow, after: LoanRow): void {
  const [was, now] = [figuresOf(before), figuresOf(after)]
  const changes = Object.keys(now).map(name => [name, now[name]! - was[name]!] as const)
  const rises = { recovered_amount: 'Loan.RECOVERED' } as const
  recordFigures(tx, 'loan', after, Object.fromEntries(changes), rises)
}

const FIRST_DAY = day('1970-01-01')

/**
 * Returns days as numbers too, so that a change that the same transaction reverses adds up to zero.
 */
function figuresOf(loan: LoanRow): Record<string, bigint> {
  const numberOf = (of: Day | null) => (of ? BigInt(daysBetween(FIRST_DAY, of)) : 0n)
  const days = Object.entries(shownDays(loan)).map(([name, of]) => [name, numberOf(of)] as const)
  return { ...shownAmounts(loan), ...Object.fromEntries(days) }
}
