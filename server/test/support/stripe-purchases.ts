/** Builds the authorization request and the events that Stripe sends for a card purchase. */
import { type StripeEvent, stripeEvent } from './stripe.ts'

export type Step =
  | { readonly kind: 'increment' | 'capture' | 'give_back' | 'refund' | 'dispute'; amount: number }
  | { readonly kind: 'close' | 'reverse' }

type Card = { readonly provider_card_id: string | null }

const merchant_data = { name: 'Bistro', category: 'eating_places_restaurants' }
const money = { currency: 'eur', merchant_currency: 'eur', merchant_data }

export function transactionOf(
  card: Card,
  {
    id,
    amount,
    authorization,
    created,
  }: {
    id: string
    amount: number
    authorization: string | null
    created: number
  },
) {
  return {
    id,
    object: 'issuing.transaction',
    amount,
    merchant_amount: amount,
    ...money,
    card: card.provider_card_id,
    created,
    authorization,
  }
}

export function authorizationOf(card: Card, id: string, amount: number, more: object = {}) {
  return {
    id,
    object: 'issuing.authorization',
    amount,
    merchant_amount: amount,
    ...money,
    approved: true,
    status: 'pending',
    card: { id: card.provider_card_id },
    created: Math.floor(Date.now() / 1000),
    request_history: [{}],
    transactions: [],
    pending_request: null,
    ...more,
  }
}

/** The request that Stripe sends while the merchant waits for the authorization. */
export function authorizationRequest(
  card: Card,
  id: string,
  amount: number,
  more: object = {},
): StripeEvent {
  const pending_request = {
    amount,
    merchant_amount: amount,
    ...money,
    is_amount_controllable: false,
  }
  const none = { approved: false, request_history: [], pending_request }
  const object = authorizationOf(card, id, 0, { ...none, ...more })
  return stripeEvent('issuing_authorization.request', object)
}

export interface Purchase {
  readonly amount: number
  readonly steps: readonly Step[]
}

/** The events of one purchase in order, one second apart. Each shows the state at its own time. */
export function purchaseOf(
  card: Card,
  name: string,
  { amount, steps }: Purchase,
  began: Date,
): StripeEvent[] {
  const id = `iauth_${name}`
  let second = Math.floor(began.getTime() / 1000)
  let held = amount
  let status = 'pending'
  const request_history: object[] = [{}]
  const transactions: ReturnType<typeof transactionOf>[] = []
  const events: StripeEvent[] = []
  const tell = (type: string, object: object) =>
    events.push(stripeEvent(type, structuredClone(object), { created: ++second }))
  const tellAuthorization = (type: string) => {
    const so_far = { request_history, transactions, status, created: second }
    tell(type, authorizationOf(card, id, held, so_far))
  }
  const move = (cents: number) => {
    const named = { id: `ipi_${name}_${transactions.length}`, amount: cents, authorization: id }
    transactions.push(transactionOf(card, { ...named, created: second }))
    tell('issuing_transaction.created', transactions.at(-1)!)
  }
  tellAuthorization('issuing_authorization.created')
  for (const step of steps) {
    const open = status === 'pending'
    const [first] = transactions.filter(t => t.amount < 0)
    if (step.kind === 'refund') {
      if (first) move(step.amount)
      continue
    }
    if (step.kind === 'dispute') {
      const won = { id: `idp_${name}_${second}`, amount: step.amount, currency: 'eur' }
      if (first) tell('issuing_dispute.funds_reinstated', { ...won, transaction: first.id })
      continue
    }
    if (step.kind === 'capture') {
      // A merchant can capture even after the authorization has been closed or reversed.
      held = Math.max(0, held - step.amount)
      move(-step.amount)
    } else if (!open) continue
    if (step.kind === 'increment') {
      held += step.amount
      request_history.push({})
    } else if (step.kind === 'give_back') held = Math.max(0, held - step.amount)
    else if (step.kind === 'close' && first) {
      ;[held, status] = [0, 'closed']
    } else if (step.kind === 'reverse') [held, status] = [0, first ? 'closed' : 'reversed']
    tellAuthorization('issuing_authorization.updated')
  }
  return events
}
