/** The operations on cards. */
import { findBorrower } from '../../companies/borrowers/index.ts'
import type { Call, Context, Handler, Ordered, Prepared, Taken } from '../../context.ts'
import type { EphemeralKey, IssuerOutcome } from '../../outside/ports/card-issuer.ts'
import { type Caller, mintBorrowerToken } from '../../platform/access/index.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { exportCardEntries } from './export-entries.ts'
import { carryOutOrder } from './follow-order.ts'
import { type CardWish, takeCardOrder } from './issue-card.ts'
import { type CardRow, entryView, findCard, listCards, listEntries, readCard } from './queries.ts'
import { readRange } from './range.ts'
import { orderStatus } from './set-status.ts'

const createBorrowerAccessToken: Handler<'createBorrowerAccessToken'> = async (
  tx,
  { params: { borrower_id }, caller },
) => {
  const borrower = await findBorrower(tx, caller.partner_id, borrower_id)
  if (!borrower) throw problem('resource_unknown')
  const { access_token, expires_at } = await mintBorrowerToken(
    tx.settings.secret,
    caller,
    borrower_id,
  )
  return { access_token, expires_at: expires_at.toISOString() }
}

function wishOf({ body, idempotency_key }: Call<'createCard'>): CardWish {
  const { email = null, phone_number = null, constraints } = body
  const more = { constraints: constraints ?? {}, request_key: idempotency_key }
  return { ...body, email, phone_number, ...more }
}

/** Asks the processor, and answers the card as it has become. */
async function finish(context: Context, { caller }: { caller: Caller }, taken: Taken) {
  await carryOutOrder(context, taken.order_id)
  const own = { partners: [caller.partner_id], read_only: true }
  return transaction(context.database, own, tx => readCard(tx, caller, taken.thing_id))
}

const createCard: Ordered<'createCard'> = {
  order: (tx, call, { ports }) => takeCardOrder(tx, call.caller, wishOf(call), ports.cards),
  finish,
}

const updateCardStatus: Ordered<'updateCardStatus'> = {
  order: async (tx, { params: { card_id }, body, caller, idempotency_key: request_key }) => {
    const wish = { wanted_status: body.status, request_key }
    const order_id = await orderStatus(tx, caller, card_id, wish)
    if (order_id) return { order_id, thing_id: card_id }
    return { answer: await readCard(tx, caller, card_id) }
  },
  finish,
}

/** The key goes out and is kept nowhere; the nonce is the borrower's own. */
const createCardEphemeralKey: Prepared<
  'createCardEphemeralKey',
  { card: CardRow; outcome: IssuerOutcome<EphemeralKey> }
> = {
  prepare: async ({ database, ports }, { params, body, caller }) => {
    const own = { partners: [caller.partner_id], read_only: true }
    const card = await transaction(database, own, tx => findCard(tx, caller, params.card_id))
    if (card.status === 'canceled') throw problem('state_conflict', 'The card is canceled.')
    return { card, outcome: await ports.cards.ephemeralKey(card.provider_card_id!, body.nonce) }
  },
  handle: async (_tx, _call, _context, { card, outcome }) => {
    if (outcome.state === 'refused') {
      throw problem('state_conflict', `The processor refuses: ${outcome.reason}.`)
    }
    if (outcome.state === 'unknown') throw problem('processor_unavailable')
    return {
      ...outcome.done,
      provider_account_id: card.provider_account_id!,
      provider_card_id: card.provider_card_id!,
    }
  },
}

const listCardEntries: Handler<'listCardEntries'> = async (tx, { params, query, caller }) => {
  const card = await findCard(tx, caller, params.card_id)
  const { from, until } = readRange(query)
  return (await listEntries(tx, card, from, until)).map(entryView)
}

export const cardHandlers = {
  createBorrowerAccessToken,
  createCard,
  listCards: ((tx, { caller, query }) =>
    listCards(tx, caller, query)) satisfies Handler<'listCards'>,
  getCard: ((tx, { caller, params }) =>
    readCard(tx, caller, params.card_id)) satisfies Handler<'getCard'>,
  listCardEntries,
  exportCardEntries,
  updateCardStatus,
  createCardEphemeralKey,
}
