/** Orders changes of cards' status at the processor, and stores the status that it reports. */
import type { Trigger } from '@headroom/contract'
import { sql } from 'kysely'
import type { CardStatus } from '../../integrations/ports/card-issuer.ts'
import type { Caller } from '../../platform/access/index.ts'
import { move, type StatusHolder } from '../../platform/db/move.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { createIssuerOrder, findOrdered } from './create-issuer-order.ts'
import { findCard } from './queries.ts'

export interface CardStatusRequest {
  readonly wanted_status: CardStatus
  readonly request_key: string | null
}

/**
 * Orders a status change; the last request wins. Returns the id of the new order, or of the order
 * that the request joins; null if the card already has the status. Throws `resource_unknown`, or
 * `state_conflict` if the card is canceled.
 */
export async function orderStatus(
  tx: Tx,
  caller: Caller,
  card_id: string,
  request: CardStatusRequest,
): Promise<string | null> {
  const { id, partner_id } = await findCard(tx, caller, card_id)
  // Locked before status and orders are read, so that concurrent requests take effect one by one.
  const card = await tx.one(sql<StatusHolder<'card'> & RowKey>`
    select id, partner_id, status from cards
    where id = ${id} and partner_id = ${partner_id} for no key update`)
  const ordered = await findOrdered(tx, card, request)
  if (ordered.id) return ordered.id
  if (ordered.status === request.wanted_status) return null
  if (card.status === 'canceled') {
    throw problem('state_conflict', 'The card is canceled, and stays so.')
  }
  const actor = caller.borrower_id ?? caller.caller_id
  return createIssuerOrder(tx.as(actor), card, { kind: 'set_status', ...request })
}

const CANCEL = { wanted_status: 'canceled', request_key: null } as const

/**
 * Orders the cancellation of the cards of a borrower that may no longer borrow. We decline its
 * spending anyway, but the processor may approve a purchase without asking us.
 */
export async function cancelCards(
  tx: Tx,
  { partner_id, borrower_id }: { partner_id: string; borrower_id: string },
): Promise<void> {
  const cards = await tx.all(sql<StatusHolder<'card'> & RowKey>`
    select id, partner_id, status from cards
    where partner_id = ${partner_id} and borrower_id = ${borrower_id}
      and issued_at is not null and status <> 'canceled'
    order by id for no key update`)
  for (const card of cards) {
    const ordered = await findOrdered(tx, card, CANCEL)
    if (ordered.id === null) await createIssuerOrder(tx, card, { kind: 'set_status', ...CANCEL })
  }
}

const TRIGGERS: Record<CardStatus, Trigger<'card'>> = {
  active: 'activate',
  inactive: 'deactivate',
  canceled: 'cancel',
}

/** Stores a card's status as the processor reports it. A canceled card stays canceled. */
export async function mirrorStatus(
  tx: Tx,
  card: { id: string; partner_id: string },
  status: CardStatus,
): Promise<void> {
  const now = await tx.one(sql<StatusHolder<'card'> & RowKey>`
    select id, partner_id, status from cards
    where partner_id = ${card.partner_id} and id = ${card.id} for no key update`)
  if (now.status === status || now.status === 'canceled') return
  await move(tx, 'card', [now], TRIGGERS[status])
}
