/** Refunds that the bank refused, or that came back, and that a person has sent once more. */
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { lockPayments, markSentAgain } from './store.ts'

/**
 * Takes a refund for dead, so that what it was to give back is planned anew: once, whoever asks.
 * Its money is locked. Throws `state_conflict` where it may still arrive, or was sent again.
 */
export async function replaceRefund(tx: Tx, id: string): Promise<void> {
  const [payment] = await lockPayments(tx, [id])
  if (payment?.payment_type !== 'REFUND' || payment.direction !== 'OUT') {
    throw problem('state_conflict', 'It is no refund that we have sent.')
  }
  if (payment.sent_again_at) throw problem('state_conflict', 'It was sent again already.')
  const back = await tx.maybe(sql`
    select from payments where charged_back_payment_id = ${id} limit 1`)
  const refused = payment.status === 'FAILED' || payment.status === 'CANCELED'
  // What we have canceled ourselves was not to be given back any more.
  const dead = payment.status === 'PAID' ? back !== undefined : refused && payment.failure_reason
  if (!dead) throw problem('state_conflict', `It is ${payment.status}, and did not come back.`)
  await markSentAgain(tx, id)
}
