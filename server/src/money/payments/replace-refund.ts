/** Marks a refund that did not arrive as replaced, so that it can be sent again. */
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { lockPayments, markSentAgain } from './store.ts'

/**
 * Marks a refund as sent again. The caller has locked the refund's money, and plans the new refund.
 * Throws `state_conflict` unless the refund was rejected, canceled or returned by a bank, or if it
 * was already replaced.
 */
export async function replaceRefund(tx: Tx, refund: RowKey): Promise<void> {
  const [payment] = await lockPayments(tx, [refund])
  if (payment?.payment_type !== 'REFUND' || payment.direction !== 'OUT') {
    throw problem('state_conflict', 'It is no refund that we have sent.')
  }
  if (payment.sent_again_at) throw problem('state_conflict', 'It was sent again already.')
  const refused = payment.status === 'FAILED' || payment.status === 'CANCELED'
  // A refund canceled without a failure reason is one that we canceled ourselves, because nothing
  // was owed.
  const dead = payment.status === 'PAID' ? payment.returned_at : refused && payment.failure_reason
  if (!dead) throw problem('state_conflict', `It is ${payment.status}, and did not come back.`)
  await markSentAgain(tx, refund)
}
