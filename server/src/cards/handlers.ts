/** The operations on cards. */
import { type Caller, mintBorrowerToken } from '../access/index.ts'
import { findBorrower } from '../borrowers/index.ts'
import type { Call, Conducted, Context, Handler, Prepared } from '../context.ts'
import { transaction } from '../db/transaction.ts'
import { problem } from '../kit/problem.ts'
import type { EphemeralKey, IssuerOutcome } from '../ports/card-issuer.ts'
import { exportCardEntries } from './export-entries.ts'
import { type CardWish, issueCard, takeCardOrder } from './issue-card.ts'
import {
  type CardRow,
  entryView,
  findCard,
  listCards,
  listEntries,
  readCard,
  readOrderedCard,
} from './queries.ts'
import { readRange } from './range.ts'
import { orderStatus, setCardStatus } from './set-status.ts'

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

const createCard: Conducted<'createCard'> = {
  conduct: async (context, call) => {
    const card_id = await issueCard(context, call.caller, wishOf(call))
    return read(context, call.caller, card_id)
  },
  order: async (tx, call, { ports }) => {
    const { card_id } = await takeCardOrder(tx, call.caller, wishOf(call), ports.cards)
    return readOrderedCard(tx, call.caller, card_id)
  },
}

/** A card after it was changed in transactions of its own. */
function read({ database }: Context, caller: Caller, card_id: string) {
  const own = { partners: [caller.partner_id], read_only: true }
  return transaction(database, own, tx => readCard(tx, caller, card_id))
}

const updateCardStatus: Conducted<'updateCardStatus'> = {
  conduct: async (context, { params, body, caller, idempotency_key: request_key }) => {
    const wish = { wanted_status: body.status, request_key }
    await setCardStatus(context, caller, params.card_id, wish)
    return read(context, caller, params.card_id)
  },
  order: async (tx, { params, body, caller, idempotency_key: request_key }) => {
    await orderStatus(tx, caller, params.card_id, { wanted_status: body.status, request_key })
    return readCard(tx, caller, params.card_id)
  },
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
    listCards(tx, caller, query.borrower_id)) satisfies Handler<'listCards'>,
  getCard: ((tx, { caller, params }) =>
    readCard(tx, caller, params.card_id)) satisfies Handler<'getCard'>,
  listCardEntries,
  exportCardEntries,
  updateCardStatus,
  createCardEphemeralKey,
}
