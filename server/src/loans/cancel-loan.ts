/** Cancels a loan before its payout has gone to the bank. */
import { type Actor, move } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { cancelScheduled } from '../payments/index.ts'
import { type BorrowerFact, lockLoansIn, releaseHeadroom } from './decide-waiting-loans.ts'
import { planRefunds } from './refund-surplus.ts'
import { type LoanRow, logLoanEvents } from './store.ts'

/** Throws `state_conflict` once the payout is on its way. The loan is locked by the caller. */
export async function cancelLoan(
  tx: Tx,
  actor: Actor,
  loan: LoanRow,
  reason: string | null = null,
): Promise<void> {
  await move(tx, actor, 'loan', [loan], 'cancel', reason)
  await cancelScheduled(tx, actor, { loan_id: loan.id }, 'loan canceled')
  await releaseHeadroom(tx, loan)
  await planRefunds(tx, actor, loan.id)
  await logLoanEvents(tx, [
    { loan_id: loan.id, partner_id: loan.partner_id, event_type: 'LOAN_CANCELED' },
  ])
}

/**
 * KYB is rejected: what was approved before and is not paid out yet is canceled, unless the bank
 * has been told to pay.
 */
export async function cancelApprovedLoans(tx: Tx, fact: BorrowerFact, actor: Actor): Promise<void> {
  for (const loan of await lockLoansIn(tx, fact, ['VALIDATED', 'SCHEDULED'])) {
    await cancelLoan(tx, actor, loan, 'BUSINESS_COMPLIANCE_ISSUE_DETECTED')
  }
}
