/** The second step of a loan that was not to be validated by itself. */
import { type Actor, move } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { enqueue } from '../jobs/index.ts'
import type { LoanRow } from './store.ts'

/** Throws `state_conflict` unless the loan is TO_VALIDATE. The loan is locked by the caller. */
export async function validateLoan(tx: Tx, actor: Actor, loan: LoanRow): Promise<void> {
  await move(tx, actor, 'loan', [loan], 'validate')
  enqueue(tx, 'prepare_loan', { loan_id: loan.id })
}
