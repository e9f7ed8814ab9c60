/** Orders to the processor: kept before it is asked, in the order of those of their card. */
import { sql } from 'kysely'
import type { CardStatus, CardToIssue } from '../../outside/ports/card-issuer.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import type { CardRow } from './queries.ts'
import { insertOrder } from './store.ts'

export type Wish =
  | { readonly kind: 'issue'; readonly to_issue: CardToIssue }
  | {
      readonly kind: 'set_status'
      readonly wanted_status: CardStatus
      /** The Idempotency-Key of the request, when it has one. */
      readonly request_key: string | null
    }
  /** How does the card stand there, whoever set it? */
  | { readonly kind: 'read_status' }

type OfCard = Pick<CardRow, 'id' | 'partner_id'>

/**
 * Keeps an order and answers its id; a job sees to it if the request cannot. The card is locked by
 * the caller, or new: that gives orders their places.
 */
export async function takeOrder(tx: Tx, card: OfCard, actor: string, wish: Wish): Promise<string> {
  const { id: card_id, partner_id } = card
  const { last } = await tx.one(sql<{ last: number }>`
    select coalesce(max(position), 0) as last from card_orders
    where card_id = ${card_id} and partner_id = ${partner_id}`)
  const order = { id: tx.newId(), card_id, partner_id, actor, position: last + 1 }
  const sets = wish.kind === 'set_status' ? wish : null
  await insertOrder(tx, {
    ...order,
    kind: wish.kind,
    wanted_status: sets?.wanted_status ?? null,
    request_key: sets?.request_key ?? null,
    to_issue: wish.kind === 'issue' ? (wish.to_issue as never) : null,
    created_at: tx.now,
  })
  enqueue(tx, 'follow_card_order', { order_id: order.id })
  return order.id
}

/**
 * The order that a wish to set a card's status joins, and the status that the card will have once
 * what is ordered was done. A request that is repeated joins its own, unless that was refused; any
 * other the newest, should it want the same.
 */
export async function findOrdered(
  tx: Tx,
  card: OfCard & { status: string },
  wish: { wanted_status: CardStatus; request_key: string | null },
): Promise<{ id: string | null; status: string }> {
  const own = await tx.maybe(sql<{ id: string }>`
    select id from card_orders
    where partner_id = ${card.partner_id} and request_key = ${wish.request_key}
      and card_id = ${card.id} and wanted_status = ${wish.wanted_status} and refusal is null
    order by position desc limit 1`)
  if (own) return { ...own, status: card.status }
  const newest = await tx.maybe(sql<{ id: string; status: string }>`
    select id, wanted_status as status from card_orders
    where card_id = ${card.id} and partner_id = ${card.partner_id} and answered_at is null
      and kind = 'set_status'
    order by position desc limit 1`)
  if (!newest) return { id: null, status: card.status }
  return { ...newest, id: newest.status === wish.wanted_status ? newest.id : null }
}

/** Asks how the card stands at the processor, unless that is about to be asked already. */
export async function orderReading(tx: Tx, card: OfCard, actor: string): Promise<void> {
  await tx.run(sql`select from cards where id = ${card.id} for no key update`)
  const waits = await tx.maybe(sql`
    select from card_orders where card_id = ${card.id} and partner_id = ${card.partner_id}
      and kind = 'read_status' and answered_at is null and asked_until is null for no key update`)
  if (!waits) await takeOrder(tx, card, actor, { kind: 'read_status' })
}
