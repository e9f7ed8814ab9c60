/** Stores orders to the processor before calling it, numbered per card. */
import type { Status } from '@headroom/contract'
import { sql } from 'kysely'
import type { CardStatus, CardToIssue } from '../../integrations/ports/card-issuer.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import type { CardRow } from './queries.ts'
import { insertOrder } from './store.ts'

export type IssuerOrder =
  | { readonly kind: 'issue'; readonly to_issue: CardToIssue }
  | {
      readonly kind: 'set_status'
      readonly wanted_status: CardStatus
      /** The request's Idempotency-Key, if any. */
      readonly request_key: string | null
    }
  /** Reads the card's current status from the processor. */
  | { readonly kind: 'read_status' }

type CardKey = Pick<CardRow, 'id' | 'partner_id'>

/**
 * Stores an order and returns its id; a job executes the order unless the request does. The caller
 * has locked or just created the card, so no concurrent order takes the same position.
 */
export async function createIssuerOrder(
  tx: Tx,
  card: CardKey,
  input: IssuerOrder,
): Promise<string> {
  const { id: card_id, partner_id } = card
  const { last } = await tx.one(sql<{ last: number }>`
    select coalesce(max(position), 0) as last from card_orders
    where card_id = ${card_id} and partner_id = ${partner_id}`)
  const order = { id: tx.newId(), card_id, partner_id, actor: tx.actor, position: last + 1 }
  const sets = input.kind === 'set_status' ? input : null
  await insertOrder(tx, {
    ...order,
    kind: input.kind,
    wanted_status: sets?.wanted_status ?? null,
    request_key: sets?.request_key ?? null,
    to_issue: input.kind === 'issue' ? (input.to_issue as never) : null,
    created_at: tx.now,
  })
  enqueue(tx, 'follow_card_order', { partner_id, order_id: order.id })
  return order.id
}

/**
 * Finds the order that a status request joins, if any. A repeated request joins its own order
 * unless that was refused. Any other joins the newest pending order if both set the same status. If
 * there is none to join, `status` is the one that the card will have once its pending orders are
 * executed.
 */
export async function findOrdered(
  tx: Tx,
  card: CardKey & { status: Status<'card'> },
  input: { wanted_status: CardStatus; request_key: string | null },
): Promise<{ id: string | null; status: Status<'card'> }> {
  const own = await tx.maybe(sql<{ id: string }>`
    select id from card_orders
    where partner_id = ${card.partner_id} and request_key = ${input.request_key}
      and card_id = ${card.id} and wanted_status = ${input.wanted_status} and refusal is null
    order by position desc limit 1`)
  if (own) return { ...own, status: card.status }
  const newest = await tx.maybe(sql<{ id: string; status: Status<'card'> }>`
    select id, wanted_status as status from card_orders
    where card_id = ${card.id} and partner_id = ${card.partner_id} and answered_at is null
      and kind = 'set_status'
    order by position desc limit 1`)
  if (!newest) return { id: null, status: card.status }
  return { ...newest, id: newest.status === input.wanted_status ? newest.id : null }
}

/**
 * Orders a read of the card's status, unless one is pending that has not started. A read that has
 * started may have seen an older status.
 */
export async function orderStatusRefresh(tx: Tx, card: CardKey): Promise<void> {
  await tx.run(sql`select from cards
    where partner_id = ${card.partner_id} and id = ${card.id} for no key update`)
  const waits = await tx.maybe(sql`
    select from card_orders where card_id = ${card.id} and partner_id = ${card.partner_id}
      and kind = 'read_status' and answered_at is null and asked_until is null for no key update`)
  if (!waits) await createIssuerOrder(tx, card, { kind: 'read_status' })
}
