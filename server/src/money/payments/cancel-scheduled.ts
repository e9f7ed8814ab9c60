/** Cancels payments that were not sent to the bank yet. */
import { sql } from 'kysely'
import { clearAlert } from '../../platform/alerts/index.ts'
import { type Actor, move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { PaymentRow } from './types.ts'

/**
 * Cancels the SCHEDULED payments of loans, of a bill or by a mandate; only of one direction if
 * given.
 */
export async function cancelScheduled(
  tx: Tx,
  actor: Actor,
  purpose: { loan_id: readonly string[] } | { bill_id: string } | { mandate_id: string },
  reason: string,
  direction: 'IN' | 'OUT' | null = null,
): Promise<void> {
  const [column, ids] = Object.entries(purpose)[0]!
  const payments = await tx.all(sql<PaymentRow>`
    select * from payments where ${sql.ref(column)} = any(${[ids].flat()}::uuid[])
      and status = 'SCHEDULED' and direction = coalesce(${direction}, direction)
    order by id for no key update`)
  await move(tx, actor, 'payment', payments, 'cancel', reason)
  const payouts = payments.filter(one => one.payment_type === 'LOAN_PAYMENT').map(one => one.id)
  if (payouts.length > 0) await clearAlert(tx, 'funding_short', ...payouts)
}
