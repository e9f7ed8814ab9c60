/** Cancels planned payments that are not instructed yet. */
import { sql } from 'kysely'
import { clearAlert } from '../../platform/alerts/index.ts'
import { move } from '../../platform/db/move.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { PaymentRow } from './types.ts'

/**
 * Cancels the SCHEDULED payments of loans, bills or mandates; with `direction`, only those of that
 * direction.
 */
export async function cancelScheduled(
  tx: Tx,
  purpose: 'loan_id' | 'bill_id' | 'mandate_id',
  keys: readonly RowKey[],
  reason: string,
  direction: 'IN' | 'OUT' | null = null,
): Promise<void> {
  const payments = await tx.all(sql<PaymentRow>`
    select * from payments where ${haveKeys(keys, 'payments', purpose)}
      and status = 'SCHEDULED' and direction = coalesce(${direction}, direction)
    order by id for no key update`)
  await move(tx, 'payment', payments, 'cancel', reason)
  const payouts = payments.filter(one => one.payment_type === 'LOAN_PAYMENT').map(one => one.id)
  if (payouts.length > 0) await clearAlert(tx, 'funding_short', ...payouts)
}
