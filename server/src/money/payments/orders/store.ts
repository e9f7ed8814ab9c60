/** The only SQL that writes orders to the bank. They are stored before the first attempt. */
import { type RawBuilder, sql } from 'kysely'
import type { PaymentOrder } from '../../../integrations/ports/bank.ts'
import { readOrder, writeOrder } from '../../../integrations/ports/order-text.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'

declare const stored: unique symbol

/** An order that is stored, the only kind that is sent: every attempt sends the same content. */
export interface StoredOrder {
  readonly [stored]: true
  readonly order: PaymentOrder
  /** Whether an earlier attempt may have sent it. */
  readonly is_repeated: boolean
}

function asStored(content: string, is_repeated: boolean): StoredOrder {
  return { order: readOrder(content), is_repeated } as StoredOrder
}

/** The text of the order that is stored for a row of `payments`, or null, as a column. */
export const STORED_TEXT: RawBuilder<string | null> = sql`(
  select o.content::text from bank_orders o
  where o.partner_id = payments.partner_id and o.id = payments.id)`

/** The order that an earlier attempt stored, read by `STORED_TEXT`. */
export function orderOfText(content: string): StoredOrder {
  return asStored(content, true)
}

/** Stores the order of a payment. If a concurrent attempt stored one, that one is returned. */
export async function storeOrder(
  tx: Tx,
  { partner_id, id }: RowKey,
  order: PaymentOrder,
): Promise<StoredOrder> {
  const content = writeOrder(order)
  const inserted = await tx.run(sql`
    insert into bank_orders (partner_id, id, content, stored_at)
    values (${partner_id}, ${id}, ${content}::json, ${tx.now})
    on conflict (partner_id, id) do nothing`)
  if (inserted === 1) return asStored(content, false)
  const other = await tx.one(sql<{ content: string }>`
    select content::text from bank_orders where partner_id = ${partner_id} and id = ${id}`)
  return orderOfText(other.content)
}

/** Stores one of the lender's own orders, or returns the one that is stored for its id. */
export async function storeLenderOrder(tx: Tx, order: PaymentOrder): Promise<StoredOrder> {
  const content = writeOrder(order)
  const inserted = await tx.run(sql`
    insert into lender_orders (id, content, stored_at)
    values (${order.payment_id}, ${content}::json, ${tx.now}) on conflict (id) do nothing`)
  if (inserted === 1) return asStored(content, false)
  const other = await tx.one(sql<{ content: string }>`
    select content::text from lender_orders where id = ${order.payment_id}`)
  return orderOfText(other.content)
}
