/** Validates a loan that was requested without automatic validation. */
import { move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { fixTerms, type LockedLoan } from '../store.ts'
import { declineLoans, redecideLoan } from './decide-waiting-loans.ts'

/**
 * Validates a locked loan, or declines it if the rules refuse it now. Throws `state_conflict`
 * unless the loan is TO_VALIDATE, its borrower's KYB APPROVED and its invoices VERIFIED.
 */
export async function validateLoan(tx: Tx, loan: LockedLoan): Promise<void> {
  const decision = loan.status === 'TO_VALIDATE' ? await redecideLoan(tx, loan) : null
  if (decision?.outcome === 'decline') return declineLoans(tx, [loan], decision.code)
  if (decision?.outcome === 'wait') {
    throw problem('state_conflict', "the borrower's KYB, or an invoice, is under review again")
  }
  if (decision) await fixTerms(tx, loan, decision.fees)
  await move(tx, 'loan', [loan], 'validate')
  const { partner_id, id: loan_id } = loan
  enqueue(tx, 'prepare_loan', { partner_id, loan_id }, partner_id)
}
