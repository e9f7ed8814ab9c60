/** Verifies Stripe Issuing events and converts them to our terms. */
import Stripe from 'stripe'
import type { StripeSettings } from '../../../config.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { withoutCardNumbers } from '../../../platform/kit/card-numbers.ts'
import type {
  AuthorizationNews,
  AuthorizationRequest,
  AuthorizationState,
  CardNews,
  DisputeNews,
  IssuerEvent,
  OpenedEvent,
  Purchase,
  TransactionNews,
} from '../../ports/card-issuer.ts'

type Authorization = Stripe.Issuing.Authorization
type Transaction = Stripe.Issuing.Transaction
type Dispute = Stripe.Issuing.Dispute

/** Card numbers and codes must never be stored; if Stripe sends them, they are dropped here. */
const SECRET_FIELDS = ['number', 'cvc', 'pin']

/** The event of a webhook call; null if it is malformed or not recently signed by Stripe. */
export function openEvent(
  stripe: Stripe,
  { webhook_secret }: StripeSettings,
  payload: Buffer,
  signature: string,
): OpenedEvent | null {
  let event: Stripe.Event
  try {
    event = stripe.webhooks.constructEvent(payload, signature, webhook_secret)
  } catch {
    return null
  }
  // Only this cleaned copy is used from here on.
  const raw = JSON.parse(JSON.stringify(event, harmless)) as Stripe.Event
  if (typeof raw?.id !== 'string' || typeof raw.type !== 'string') return null
  const { id: event_ref, type: kind } = raw
  const is_request = (kind as string) === 'issuing_authorization.request'
  const authorization_request = is_request ? readAuthorizationRequest(raw) : null
  const answer_headers = { 'stripe-version': Stripe.API_VERSION }
  return { event_ref, kind, raw, authorization_request, answer_headers }
}

function harmless(key: string, value: unknown): unknown {
  if (SECRET_FIELDS.includes(key)) return undefined
  return typeof value === 'string' ? withoutCardNumbers(value) : value
}

/** Returns `unreadable` for a request that cannot be parsed and so must not be approved. */
function readAuthorizationRequest(event: Stripe.Event): AuthorizationRequest | 'unreadable' {
  try {
    return authorizationRequestOf(event.data.object as Authorization)
  } catch {
    return 'unreadable'
  }
}

function authorizationRequestOf(authorization: Authorization): AuthorizationRequest {
  const request = authorization.pending_request
  return {
    provider_card_id: authorization.card.id,
    authorization_ref: authorization.id,
    held_before: BigInt(authorization.amount),
    amount: BigInt(request?.amount ?? 0),
    currency: (request?.currency ?? authorization.currency).toUpperCase(),
    allow_partial: request?.is_amount_controllable ?? false,
    purchase: purchaseOf(
      authorization.merchant_data,
      request?.merchant_amount ?? authorization.merchant_amount,
      request?.merchant_currency ?? authorization.merchant_currency,
    ),
  }
}

export function readEvent(raw: unknown): IssuerEvent[] {
  const { type, data, created } = raw as Stripe.Event
  const object = data.object as unknown
  switch (type as string) {
    case 'issuing_authorization.created':
    case 'issuing_authorization.updated':
      return authorizationNews(object as Authorization, created)
    case 'issuing_transaction.created':
    case 'issuing_transaction.updated':
      return [transactionNews(object as Transaction)]
    case 'issuing_dispute.funds_reinstated':
      return [disputeNews(object as Dispute, 'dispute', created)]
    case 'issuing_dispute.funds_rescinded':
      return [disputeNews(object as Dispute, 'dispute_reversal', created)]
    case 'issuing_card.updated':
      return [cardNews(object as Stripe.Issuing.Card)]
    default:
      return []
  }
}

/** Clearings come first, so that no hold is released before it is used. */
function authorizationNews(authorization: Authorization, event_at: number): CardNews[] {
  const { id, card, amount, currency, created, transactions, merchant_data } = authorization
  const { merchant_amount, merchant_currency } = authorization
  const state = stateOf(authorization)
  const news: AuthorizationNews = {
    kind: 'AUTHORIZATION',
    provider_card_id: card.id,
    authorization_ref: id,
    state,
    amount: BigInt(amount),
    currency: currency.toUpperCase(),
    rank: rankOf(authorization, state, event_at),
    cleared: transactions.map(t => t.id),
    at: new Date(created * 1000),
    purchase: purchaseOf(merchant_data, merchant_amount, merchant_currency),
  }
  return [...transactions.map(transactionNews), news]
}

function stateOf({ approved, status }: Authorization): AuthorizationState {
  if (status === 'pending') return 'open'
  if (status === 'closed') return approved ? 'closed' : 'declined'
  return 'reversed'
}

/**
 * Orders the events of an authorization: it never reopens, and its requests and clearings only grow
 * in number. If these are equal, as after a partial reversal, the event's timestamp in seconds
 * decides.
 */
function rankOf(
  { request_history, transactions }: Authorization,
  state: AuthorizationState,
  event_at: number,
): bigint {
  const over = state === 'open' ? 0n : 1n
  const steps = BigInt(request_history.length + transactions.length)
  return (over << 60n) + (steps << 40n) + BigInt(event_at)
}

/** At Stripe, captures are negative and refunds positive. */
function transactionNews(transaction: Transaction): TransactionNews {
  const { id, amount, created, currency, merchant_amount, merchant_currency } = transaction
  return {
    kind: 'TRANSACTION',
    provider_card_id: idOf(transaction.card)!,
    transaction_type: amount > 0 ? 'refund' : 'payment',
    transaction_ref: id,
    authorization_ref: idOf(transaction.authorization),
    disputed_ref: null,
    amount: BigInt(Math.abs(amount)),
    currency: currency.toUpperCase(),
    at: new Date(created * 1000),
    purchase: purchaseOf(transaction.merchant_data, merchant_amount, merchant_currency),
  }
}

/** Stripe identifies the disputed transaction by its id and does not name the card. */
function disputeNews(
  { id, amount, currency, transaction }: Dispute,
  transaction_type: DisputeNews['transaction_type'],
  created: number,
): DisputeNews {
  const disputed_ref = idOf(transaction)
  assert(disputed_ref, 'a dispute is about something')
  return {
    kind: 'DISPUTE',
    transaction_type,
    transaction_ref: `${transaction_type}-${id}`,
    disputed_ref,
    amount: BigInt(amount),
    currency: currency.toUpperCase(),
    at: new Date(created * 1000),
  }
}

function cardNews({ id, status }: Stripe.Issuing.Card): CardNews {
  return { kind: 'CARD', provider_card_id: id, status: status as 'active' }
}

function idOf(named: string | { id: string } | null): string | null {
  return typeof named === 'string' ? named : (named?.id ?? null)
}

function purchaseOf(
  merchant: { name: string | null; category: string },
  amount: number,
  currency: string,
): Purchase {
  return {
    merchant_name: merchant.name ?? '',
    merchant_category: merchant.category,
    merchant_amount: BigInt(Math.abs(amount)),
    merchant_currency: currency.toUpperCase(),
  }
}
