/** The only SQL that writes orders to the bank. They are stored before the first attempt. */
import { type RawBuilder, sql } from 'kysely'
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

/**
 * SQL condition: the lender has no newer version than this transaction knows, so its bank is the
 * one that this process sends orders to. A change of the bank locks the tables of orders first.
 */
function sameBank(tx: Tx): RawBuilder<boolean> {
  return sql`not exists (
    select from lender_versions where revision > ${tx.settings.lender_revision ?? 0n})`
}

/** The job that stores the order is tried again, and then knows the new version. */
const changed = () => new Error('the lender has changed while an order was being stored')

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
  const inserted = await tx.run(sql`
    insert into bank_orders (partner_id, id, content, stored_at)
    select ${partner_id}::uuid, ${id}::uuid, ${content}::json, ${tx.now}::timestamptz
    where ${sameBank(tx)}`)
  if (inserted !== 1) throw changed()
  return asStored(content, false)
}

/** Stores one of the lender's own orders, or returns the order already stored under its id. */
export async function storeLenderOrder(tx: Tx, order: PaymentOrder): Promise<StoredOrder> {
  const content = writeOrder(order)
  const inserted = await tx.run(sql`
    insert into lender_orders (id, content, stored_at)
    select ${order.payment_id}::uuid, ${content}::json, ${tx.now}::timestamptz where ${sameBank(tx)}
    on conflict (id) do nothing`)
  if (inserted === 1) return asStored(content, false)
  const other = await tx.maybe(sql<{ content: string }>`
    select content::text from lender_orders where id = ${order.payment_id}`)
  if (!other) throw changed()
  return asStored(other.content, true)
}
