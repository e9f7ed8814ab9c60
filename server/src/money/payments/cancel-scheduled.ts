/** Cancels payments that have not gone to the bank yet. */
import { sql } from 'kysely'
import { clearAlert } from '../../platform/alerts/index.ts'
import { type Actor, move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { PaymentRow } from './types.ts'

/**
 * Cancels what is SCHEDULED for loans, for a bill or by a mandate; of one direction only when it is
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
