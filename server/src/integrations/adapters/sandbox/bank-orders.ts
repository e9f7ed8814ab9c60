/** The orders stored by the sandbox bank. As at a real bank, an id identifies one order. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { OrderOutcome, PaymentOrder } from '../../ports/bank.ts'
import { writeOrder } from '../../ports/order-text.ts'

/** The statement that stores an order, and its refusal if any, unless the id is known. */
export function insertOfOrder(
  tx: Tx,
  order: PaymentOrder,
  refused_for: string | null,
): RawBuilder<{ payment_id: string }> {
  return sql`
    insert into sandbox_bank_orders (payment_id, content, refused_for, created_at)
    values (${order.payment_id}, ${writeOrder(order)}::json, ${refused_for}, ${tx.now})
    on conflict (payment_id) do nothing returning payment_id`
}

/**
 * The answer to an order whose id is known: the same as to the first order, or `conflict` if that
 * one had other content.
 */
export async function answerAgain(tx: Tx, order: PaymentOrder): Promise<OrderOutcome> {
  const { content, refused_for } = await tx.one(sql<StoredOrder>`
    select content::text, refused_for from sandbox_bank_orders
    where payment_id = ${order.payment_id}`)
  if (content !== writeOrder(order)) return { state: 'conflict' }
  return refused_for === null
    ? { state: 'accepted' }
    : { state: 'refused', reason_code: refused_for }
}

interface StoredOrder {
  readonly content: string
  readonly refused_for: string | null
}
