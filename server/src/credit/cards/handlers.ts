/** Handlers of the operations on cards. */
import type { Answer } from '@headroom/contract'
import { findBorrower } from '../../companies/borrowers/index.ts'
import type {
  Call,
  CallCommit,
  Context,
  Handler,
  OrchestratedHandler,
  PreparedHandler,
} from '../../context.ts'
import type { EphemeralKey, IssuerOutcome } from '../../integrations/ports/card-issuer.ts'
import { type Caller, mintBorrowerToken } from '../../platform/access/index.ts'
import { viewRows } from '../../platform/db/page.ts'
import { readForPartner, type Tx, transaction } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { orderStatus } from './card-status.ts'
import { exportCardEntries } from './export-entries.ts'
import { carryOutOrder } from './follow-order.ts'
import { type CardOrder, type NewCard, takeCardOrder } from './issue-card.ts'
import { type CardRow, entryView, findCard, listCards, listEntries, readCard } from './queries.ts'
import { readRange } from './range.ts'

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

function newCardOf({ body, idempotency_key }: Call<'createCard'>): NewCard {
  const { email = null, phone_number = null, constraints } = body
  const more = { constraints: constraints ?? {}, request_key: idempotency_key }
  return { ...body, email, phone_number, ...more }
}

/**
 * Stores an order to the processor, executes it after the commit and returns the resulting card. If
 * the process dies in between, a job executes the order. A decision's step waits for the order;
 * without an order it completes at once. Throws if the processor refuses, or if the outcome is
 * still unknown, in which case the order stays pending.
 */
async function executeAsOrder(
  context: Context,
  caller: Caller,
  callCommit: CallCommit<Answer<'getCard'>>,
  take: (tx: Tx) => Promise<CardOrder>,
) {
  const { database } = context
  const own = { partners: [caller.partner_id], actor: caller.caller_id }
  const taken = await transaction(database, own, async tx => {
    const step = await callCommit.takeStep(tx)
    const { card_id, order_id } = await take(tx)
    if (order_id !== null) {
      await step.waitFor(order_id)
      return { card_id, order_id }
    }
    const card = await readCard(tx, caller, card_id)
    await step.done(card)
    return card
  })
  if (!('order_id' in taken)) return taken
  await carryOutOrder(context, { partner_id: caller.partner_id, id: taken.order_id })
  return readForPartner(context, caller.partner_id, tx => readCard(tx, caller, taken.card_id))
}

const createCard: OrchestratedHandler<'createCard'> = {
  orchestrate: (context, call, callCommit) =>
    executeAsOrder(context, call.caller, callCommit, tx =>
      takeCardOrder(tx, call.caller, newCardOf(call), context.ports.cards),
    ),
}

const updateCardStatus: OrchestratedHandler<'updateCardStatus'> = {
  orchestrate: (context, { params: { card_id }, body, caller, idempotency_key }, callCommit) =>
    executeAsOrder(context, caller, callCommit, async tx => {
      const request = { wanted_status: body.status, request_key: idempotency_key }
      return { card_id, order_id: await orderStatus(tx, caller, card_id, request) }
    }),
}

/** The key is returned but never stored. The nonce comes from the borrower's device. */
const createCardEphemeralKey: PreparedHandler<
  'createCardEphemeralKey',
  { card: CardRow; outcome: IssuerOutcome<EphemeralKey> }
> = {
  prepare: async (context, { params, body, caller }) => {
    const card = await readForPartner(context, caller.partner_id, tx =>
      findCard(tx, caller, params.card_id),
    )
    if (card.status === 'canceled') throw problem('state_conflict', 'The card is canceled.')
    return {
      card,
      outcome: await context.ports.cards.ephemeralKey(card.provider_card_id!, body.nonce),
    }
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
  return viewRows(await listEntries(tx, card, from, until), entryView)
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
