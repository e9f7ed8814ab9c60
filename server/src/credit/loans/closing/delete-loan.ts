/** Deletes a loan at an operator's request, before its payout is sent. */
import type { Tx } from '../../../platform/db/transaction.ts'
import { invalid, problem } from '../../../platform/kit/problem.ts'
import { reasonFaults } from '../../../platform/kit/reason.ts'
import { lockNamedLoan } from '../booking/money.ts'
import { withdrawLoans } from './cancel-loan.ts'

/**
 * Moves the loan to DELETED, frees its reserved credit and cancels a pending payout. Throws
 * `resource_unknown`, `request_invalid` without a reason, or `state_conflict` once its payout has
 * been instructed.
 */
export async function deleteLoan(tx: Tx, loan_id: string, reason: string): Promise<void> {
  const faults = reasonFaults(reason)
  if (faults.length > 0) throw invalid(faults)
  const loan = await lockNamedLoan(tx, loan_id)
  if (!loan) throw problem('resource_unknown')
  if (loan.status === 'ISSUE_DETECTED') {
    throw problem('state_conflict', 'Its payout failed or came back: cancel that.')
  }
  await withdrawLoans(tx, [loan], 'delete', reason)
}
