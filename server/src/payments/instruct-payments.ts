/** Hands planned payments over to the bank: first the record of it, then, as a job, the call. */
import { type Actor, move } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { enqueue } from '../jobs/index.ts'
import type { PaymentRow } from './types.ts'

/** Moves locked, SCHEDULED payments to INSTRUCTED; the bank hears of them after the commit. */
export async function instructPayments(
  tx: Tx,
  actor: Actor,
  payments: readonly PaymentRow[],
): Promise<void> {
  await move(tx, actor, 'payment', payments, 'instruct')
  for (const { id } of payments) enqueue(tx, 'submit_payment', { payment_id: id })
}
