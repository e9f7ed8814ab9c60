/**
 * Executes orders at the processor one at a time per card, so that a late response to an earlier
 * order cannot override a later order.
 */
import { operations } from '@headroom/contract'
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { publishFact } from '../../facts.ts'
import type {
  CardIssuer,
  CardStatus,
  IssuedCard,
  IssuerOutcome,
} from '../../integrations/ports/card-issuer.ts'
import { initialStatus, recordCreation } from '../../platform/db/move.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import { recordEvent } from '../../platform/events/index.ts'
import { assert } from '../../platform/kit/assert.ts'
import { problem } from '../../platform/kit/problem.ts'
import { backoffFor } from './backoff.ts'
import { mirrorStatus } from './card-status.ts'
import { type CardRow, cardViews } from './queries.ts'
import {
  claimNextOrder,
  clearRequestKey,
  type OrderRow,
  releaseOrder,
  setAnswered,
  setIssued,
} from './store.ts'

const ALL = { partners: '*', actor: 'service' } as const
/**
 * Longer than two processor calls can take, so a turn older than this belongs to a dead process.
 */
const TURN_SECONDS = 30
/** How long a request or a job waits for the card's earlier orders. */
const PATIENCE_MS = 12_000
const JOB_PATIENCE_MS = 2_000

/**
 * Executes an order for a request. Throws `state_conflict` if the processor refuses, or
 * `processor_unavailable` while the outcome is unknown.
 */
export async function carryOutOrder(context: Context, order: RowKey): Promise<void> {
  const refusal = await carryOut(context, order, PATIENCE_MS)
  if (refusal !== null) throw problem('state_conflict', `The processor refuses: ${refusal}.`)
}

/** Executes an order from a job, where a refusal is a valid outcome and not an error. */
export async function followCardOrder(context: Context, order: RowKey): Promise<void> {
  await carryOut(context, order, JOB_PATIENCE_MS)
}

/**
 * Executes an order after the card's earlier ones, waiting for any that another process is
 * executing. Returns the processor's refusal, or null once done. Safe to repeat.
 */
async function carryOut(
  context: Context,
  order: RowKey,
  patience_ms: number,
): Promise<string | null> {
  const { database } = context
  const patience = backoffFor(patience_ms)
  for (;;) {
    const { answer, next } = await transaction(database, ALL, tx => readOrderState(tx, order))
    if (answer) return answer.refusal
    if (next) await executeOrder(context, next)
    else if (!(await patience.again())) throw unavailable()
  }
}

function unavailable() {
  return problem('processor_unavailable', undefined, { retry_after_seconds: 5 })
}

interface OrderState {
  /** The outcome of the order itself. An order that no longer exists counts as not refused. */
  readonly answer?: { readonly refusal: string | null }
  /** The card's oldest unanswered order, whose turn this process has now claimed. */
  readonly next?: OrderRow
}

async function readOrderState(tx: Tx, { partner_id, id }: RowKey): Promise<OrderState> {
  const order = await tx.maybe(sql<OrderRow>`
    select * from card_orders where partner_id = ${partner_id} and id = ${id}`)
  if (!order) return { answer: { refusal: null } }
  if (order.answered_at) return { answer: order }
  const next = await claimNextOrder(tx, order, TURN_SECONDS)
  return next ? { next } : {}
}

/**
 * Executes an order whose turn this process has claimed. If the outcome is unknown, throws
 * `processor_unavailable`; the order stays pending and is retried.
 */
async function executeOrder({ database, ports, log }: Context, order: OrderRow): Promise<void> {
  const card = await transaction(database, { ...ALL, read_only: true }, tx =>
    tx.one(sql<CardRow>`
      select * from cards where partner_id = ${order.partner_id} and id = ${order.card_id}`),
  )
  const outcome = await sendToIssuer(ports.cards, order, card)
  if (outcome.state === 'unknown') {
    log.warn({ order_id: order.id, why: outcome.why }, 'the card processor did not answer')
    await transaction(database, ALL, tx => releaseOrder(tx, order))
    throw unavailable()
  }
  await transaction(database, { ...ALL, actor: order.actor }, async tx => {
    const refusal = outcome.state === 'refused' ? outcome.reason : null
    if (!(await setAnswered(tx, order, refusal))) return
    if (outcome.state === 'done') await write(tx, card, outcome.done)
    else if (order.kind === 'issue') await clearRequestKey(tx, card)
    const answer = outcome.state === 'done' ? await answerTo(tx, order) : null
    const { partner_id, id: order_id } = order
    await publishFact(tx, 'card_order_answered', {
      partner_id,
      order_id,
      answer,
    })
  })
}

const ANSWERED_BY = { issue: 'createCard', set_status: 'updateCardStatus' } as const

/**
 * The reply to the operation that placed the order. No operation orders a read of the status, so
 * `getCard` stands in.
 */
async function answerTo(tx: Tx, { kind, partner_id, card_id }: OrderRow) {
  const { success } = operations[ANSWERED_BY[kind as keyof typeof ANSWERED_BY] ?? 'getCard']
  const views = await cardViews(tx, [{ partner_id, id: card_id }])
  return { status: success, json: views.get(card_id)!.data }
}

type Done = IssuedCard | CardStatus

function sendToIssuer(
  issuer: CardIssuer,
  order: OrderRow,
  card: CardRow,
): Promise<IssuerOutcome<Done>> {
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

async function write(tx: Tx, card: CardRow, done: Done): Promise<void> {
  if (typeof done === 'string') return mirrorStatus(tx, card, done)
  await setIssued(tx, card, done)
  recordEvent(tx, 'card', card, 'Card.CREATED')
  const { id, partner_id } = card
  recordCreation(tx, [{ id, partner_id, initial: initialStatus('card', []) }])
}
