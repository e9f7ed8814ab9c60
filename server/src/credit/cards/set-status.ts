/** Orders a card's status, which is set at the processor first and mirrored here. */
import { sql } from 'kysely'
import type { CardStatus } from '../../integrations/ports/card-issuer.ts'
import type { Caller } from '../../platform/access/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { createIssuerOrder, findOrdered } from './create-issuer-order.ts'
import { findCard } from './queries.ts'

export interface CardStatusRequest {
  readonly wanted_status: CardStatus
  readonly request_key: string | null
}

/**
 * The last request wins. Stores the order and returns its id; null if the card has, or will have,
 * that status. Throws `state_conflict` once the card is canceled.
 */
export async function orderStatus(
  tx: Tx,
  caller: Caller,
  card_id: string,
  wish: CardStatusRequest,
): Promise<string | null> {
  const { id, partner_id } = await findCard(tx, caller, card_id)
  // Locked before status and orders are read, so that concurrent requests are ordered.
  const card = await tx.one(sql<{ id: string; partner_id: string; status: string }>`
    select id, partner_id, status from cards
    where id = ${id} and partner_id = ${partner_id} for no key update`)
  const ordered = await findOrdered(tx, card, wish)
  if (ordered.id) return ordered.id
  if (ordered.status === wish.wanted_status) return null
  if (card.status === 'canceled') {
    throw problem('state_conflict', 'The card is canceled, and stays so.')
  }
  const actor = caller.borrower_id ?? caller.caller_id
  return createIssuerOrder(tx, card, actor, { kind: 'set_status', ...wish })
}
