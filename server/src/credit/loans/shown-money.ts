/** What GET /loan shows of a loan's money, whatever the day. */
import type { Tx } from '../../platform/db/transaction.ts'
import { recordFigures, recordUpdate } from '../../platform/events/index.ts'
import { maxAmount } from '../../platform/kit/money.ts'
import type { LoanRow } from './store.ts'

/** Cents. Negative if refunds were lent beyond repayments; shown as 0: that was never paid. */
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

const DAYS = ['paid_out_on', 'falls_due_on', 'principal_repaid_on', 'written_off_on'] as const

/** Records which of these amounts and days a fact changed. Closing a loan has its own event. */
export function recordMoney(tx: Tx, before: LoanRow, after: LoanRow): void {
  const [was, now] = [shownAmounts(before), shownAmounts(after)]
  const names = Object.keys(now) as (keyof typeof now)[]
  const changes = Object.fromEntries(names.map(name => [name, now[name] - was[name]]))
  recordFigures(tx, 'loan', after, changes)
  if (DAYS.some(name => before[name] !== after[name])) recordUpdate(tx, 'loan', after)
}
