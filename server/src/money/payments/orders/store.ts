/** The only SQL that writes orders to the bank. They are stored before the first attempt. */
import { sql } from 'kysely'
import type { PaymentOrder } from '../../../integrations/ports/bank.ts'
import { readOrder, writeOrder } from '../../../integrations/ports/order-text.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import { type Statement, statement, type Tx } from '../../../platform/db/transaction.ts'

declare const stored: unique symbol

/** A stored order. Only stored orders are sent, so every attempt sends the same content. */
export interface StoredOrder {
  readonly [stored]: true
  readonly order: PaymentOrder
  /** Whether an earlier attempt may have sent it. */
  readonly is_repeated: boolean
}

function asStored(content: string, is_repeated: boolean): StoredOrder {
  return { order: readOrder(content), is_repeated } as StoredOrder
}

/** The order that an earlier attempt stored for a payment; undefined if there is none. */
export function storedOrderOf({ partner_id, id }: RowKey): Statement<StoredOrder | undefined> {
  return statement(
    sql<{ content: string }>`
      select content::text from bank_orders where partner_id = ${partner_id} and id = ${id}`,
    ([stored]) => stored && asStored(stored.content, true),
  )
}

/** Stores the order of a locked payment that has none. */
export async function storeOrder(
  tx: Tx,
  { partner_id, id }: RowKey,
  order: PaymentOrder,
): Promise<StoredOrder> {
  const content = writeOrder(order)
  await tx.run(sql`
    insert into bank_orders (partner_id, id, content, stored_at)
    values (${partner_id}, ${id}, ${content}::json, ${tx.now})`)
  return asStored(content, false)
}

/** Stores one of the lender's own orders, or returns the order already stored under its id. */
export async function storeLenderOrder(tx: Tx, order: PaymentOrder): Promise<StoredOrder> {
  const content = writeOrder(order)
  const inserted = await tx.run(sql`
    insert into lender_orders (id, content, stored_at)
    values (${order.payment_id}, ${content}::json, ${tx.now}) on conflict (id) do nothing`)
  if (inserted === 1) return asStored(content, false)
  const other = await tx.one(sql<{ content: string }>`
    select content::text from lender_orders where id = ${order.payment_id}`)
  return asStored(other.content, true)
}
