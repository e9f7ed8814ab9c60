/**
 * Carries orders out at the processor, those of one card one after the other: what was ordered last
 * is what counts, however late the processor answers.
 */
import { operations } from '@headroom/contract'
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { state } from '../../facts.ts'
import type {
  CardIssuer,
  CardStatus,
  IssuedCard,
  IssuerOutcome,
} from '../../outside/ports/card-issuer.ts'
import { birth, recordBirths } from '../../platform/db/move.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import { note } from '../../platform/events/index.ts'
import { assert } from '../../platform/kit/assert.ts'
import { problem } from '../../platform/kit/problem.ts'
import { mirrorStatus } from './mirror-status.ts'
import { patienceOf } from './patience.ts'
import { type CardRow, cardViews } from './queries.ts'
import {
  forgetRequest,
  giveTurnBack,
  type OrderRow,
  setAnswered,
  setIssued,
  takeTurn,
} from './store.ts'

const ALL = { partners: '*' } as const
/** Longer than two calls of the processor are waited for: who had the turn longer is dead. */
const TURN_SECONDS = 30
/** How long a request, or a job, waits for orders before its own. */
const PATIENCE_MS = 12_000
const JOB_PATIENCE_MS = 2_000

/** Carries out an order at once. Throws `state_conflict` when refused, `processor_unavailable`. */
export async function carryOutOrder(context: Context, order_id: string): Promise<void> {
  const refusal = await carryOut(context, order_id, PATIENCE_MS)
  if (refusal !== null) throw problem('state_conflict', `The processor refuses: ${refusal}.`)
}

/** The same from a job: a refusal is an answer too. */
export async function followCardOrder(context: Context, order_id: string): Promise<void> {
  await carryOut(context, order_id, JOB_PATIENCE_MS)
}

/**
 * Answers the processor's refusal, or null when it was done. Safe to repeat. Orders of the card
 * that were taken before it are carried out first; one that somebody else is at is waited for.
 */
async function carryOut(
  context: Context,
  order_id: string,
  patience_ms: number,
): Promise<string | null> {
  const { database } = context
  const patience = patienceOf(patience_ms)
  for (;;) {
    const { answer, next } = await transaction(database, ALL, tx => look(tx, order_id))
    if (answer) return answer.refusal
    if (next) await askAndWrite(context, next)
    else if (!(await patience.again())) throw unavailable()
  }
}

function unavailable() {
  return problem('processor_unavailable', undefined, { retry_after_seconds: 5 })
}

interface Look {
  /** Of the order itself; one that is gone has nothing to refuse. */
  readonly answer?: { readonly refusal: string | null }
  /** The oldest one of its card that waits: its turn is ours now. */
  readonly next?: OrderRow
}

async function look(tx: Tx, order_id: string): Promise<Look> {
  const order = await tx.maybe(sql<OrderRow>`select * from card_orders where id = ${order_id}`)
  if (!order) return { answer: { refusal: null } }
  if (order.answered_at) return { answer: order }
  const next = await takeTurn(tx, order.card_id, TURN_SECONDS)
  return next ? { next } : {}
}

/** The turn is ours. Throws `processor_unavailable` when there is no answer: it is asked again. */
async function askAndWrite({ database, ports, log }: Context, order: OrderRow): Promise<void> {
  const card = await transaction(database, { ...ALL, read_only: true }, tx =>
    tx.one(sql<CardRow>`select * from cards where id = ${order.card_id}`),
  )
  const outcome = await ask(ports.cards, order, card)
  if (outcome.state === 'unknown') {
    log.warn({ order_id: order.id, why: outcome.why }, 'the card processor did not answer')
    await transaction(database, ALL, tx => giveTurnBack(tx, order.id))
    throw unavailable()
  }
  await transaction(database, ALL, async tx => {
    const refusal = outcome.state === 'refused' ? outcome.reason : null
    if (!(await setAnswered(tx, order.id, refusal))) return
    if (outcome.state === 'done') await write(tx, order, card, outcome.done)
    else if (order.kind === 'issue') await forgetRequest(tx, card.id)
    const answer = outcome.state === 'done' ? await answerTo(tx, order) : null
    await state(tx, order.actor, 'card_order_answered', { order_id: order.id, answer })
  })
}

const ANSWERED_BY = { issue: 'createCard', set_status: 'updateCardStatus' } as const

/** What the operation that ordered it answers; nobody has asked for a reading. */
async function answerTo(tx: Tx, { kind, card_id }: OrderRow) {
  const { success } = operations[ANSWERED_BY[kind as keyof typeof ANSWERED_BY] ?? 'getCard']
  const views = await cardViews(tx, [card_id])
  return { status: success, json: views.get(card_id)!.data }
}

type Done = IssuedCard | CardStatus

function ask(issuer: CardIssuer, order: OrderRow, card: CardRow): Promise<IssuerOutcome<Done>> {
  if (order.kind === 'issue') {
    assert(order.to_issue, 'an order to issue says what')
    return issuer.issue(order.to_issue)
  }
  const { provider_card_id } = card
  assert(provider_card_id, 'only an issued card has a status')
  if (order.kind === 'read_status') return issuer.readStatus(provider_card_id)
  const { id: order_id, card_id, wanted_status } = order
  return issuer.setStatus({ order_id, card_id, provider_card_id, status: wanted_status! })
}

async function write(tx: Tx, order: OrderRow, card: CardRow, done: Done): Promise<void> {
  if (typeof done === 'string') return mirrorStatus(tx, order.actor, card, done)
  await setIssued(tx, card.id, done)
  note(tx, 'card', card.id, 'Card.CREATED')
  const { id, partner_id } = card
  recordBirths(tx, order.actor, [{ id, partner_id, birth: birth('card', []) }])
}
