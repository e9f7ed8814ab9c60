/** Resends a refund that the bank refused or returned, at an operator's request. */
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { lockPayments, markSentAgain } from './store.ts'

/**
 * Marks a refund as replaced, so that its money is planned again. Works once per refund. The caller
 * has locked the refund's money. Throws `state_conflict` if the refund may still arrive or was
 * already replaced.
 */
export async function replaceRefund(tx: Tx, refund: RowKey): Promise<void> {
  const [payment] = await lockPayments(tx, [refund])
  if (payment?.payment_type !== 'REFUND' || payment.direction !== 'OUT') {
    throw problem('state_conflict', 'It is no refund that we have sent.')
  }
  if (payment.sent_again_at) throw problem('state_conflict', 'It was sent again already.')
  const refused = payment.status === 'FAILED' || payment.status === 'CANCELED'
  // Without a failure reason, we canceled it ourselves because it was no longer owed.
  const dead = payment.status === 'PAID' ? payment.returned_at : refused && payment.failure_reason
  if (!dead) throw problem('state_conflict', `It is ${payment.status}, and did not come back.`)
  await markSentAgain(tx, refund)
}
