/** Retries or cancels a failed or returned payout at an operator's request. */
import { sql } from 'kysely'
import type { Bank } from '../../../integrations/ports/bank.ts'
import { cancelScheduled, isUnsuccessful } from '../../../money/payments/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { lockNamedLoan } from '../booking/money.ts'
import { withdrawLoans } from '../closing/cancel-loan.ts'
import { type LockedLoan, saveRefundedAmounts } from '../store.ts'
import { schedulePayout } from './prepare-loan.ts'

/**
 * Pays a loan out again, to the same account. Early repayments that were refunded meanwhile do not
 * repay the loan; the others do. Throws `resource_unknown`, or `state_conflict` unless its payout
 * has failed or was returned, or once the due date has come.
 */
export async function payAgain(tx: Tx, loan_id: string, bank: Bank): Promise<void> {
  const loan = await lockFailed(tx, loan_id)
  if (loan.to_repay_on <= tx.today) {
    throw problem('state_conflict', `It was to be repaid on ${loan.to_repay_on}: cancel it.`)
  }
  await cancelScheduled(tx, 'loan_id', [loan], 'paid out again', 'OUT')
  await saveRefundedAmounts(tx, loan)
  await schedulePayout(tx, loan, bank, 'retry_payout')
}

/**
 * Cancels a loan whose payout failed or was returned: frees its reserved credit and refunds what
 * was repaid. Throws `resource_unknown`, or `state_conflict` for any other loan.
 */
export async function cancelFailedPayout(tx: Tx, loan_id: string): Promise<void> {
  const loan = await lockFailed(tx, loan_id)
  await withdrawLoans(tx, [loan], 'cancel_payout', 'canceled by an operator')
}

async function lockFailed(tx: Tx, loan_id: string): Promise<LockedLoan> {
  const loan = await lockNamedLoan(tx, loan_id)
  if (!loan) throw problem('resource_unknown', `There is no loan ${loan_id}.`)
  if (loan.status !== 'ISSUE_DETECTED') throw problem('state_conflict', `It is ${loan.status}.`)
  const paying = await tx.maybe(sql`
    select 1 from payments p where p.partner_id = ${loan.partner_id} and p.loan_id = ${loan_id}
      and p.payment_type = 'LOAN_PAYMENT' and not ${isUnsuccessful('p')} limit 1`)
  if (paying) throw problem('state_conflict', 'A payout of it is on its way or was made.')
  return loan
}
