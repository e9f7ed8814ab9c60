/** Cancels a loan before its payout has gone to the bank. */
import { type Actor, move } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { cancelScheduled } from '../payments/index.ts'
import { releaseHeadroom } from './decide-waiting-loans.ts'
import { planRefunds } from './refund-surplus.ts'
import { type LoanRow, logLoanEvents } from './store.ts'

/** Throws `state_conflict` once the payout is on its way. The loan is locked by the caller. */
export async function cancelLoan(tx: Tx, actor: Actor, loan: LoanRow): Promise<void> {
  await move(tx, actor, 'loan', [loan], 'cancel')
  await cancelScheduled(tx, actor, { loan_id: loan.id }, 'loan canceled')
  await releaseHeadroom(tx, loan)
  await planRefunds(tx, actor, loan.id)
  await logLoanEvents(tx, [
    { loan_id: loan.id, partner_id: loan.partner_id, event_type: 'LOAN_CANCELED' },
  ])
}
