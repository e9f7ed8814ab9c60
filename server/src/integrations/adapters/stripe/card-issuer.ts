/** Stripe Issuing through its official library: cards, their status, ephemeral keys and events. */
import Stripe from 'stripe'
import type { StripeSettings } from '../../../config.ts'
import { withoutCardNumbers } from '../../../platform/kit/card-numbers.ts'
import type { CardIssuer, CardStatus, CardToIssue, IssuerOutcome } from '../../ports/card-issuer.ts'
import { cardholderOf, missingOf } from './cardholder.ts'
import { openEvent, readEvent } from './read-event.ts'
import { spendingControlsOf } from './spending-controls.ts'

/** How long to wait for an answer; after that, the outcome is unknown. */
const TIMEOUT_MS = 10_000

export function stripeCardIssuer(settings: StripeSettings): CardIssuer {
  const { protocol, hostname, port } = new URL(settings.api_base)
  const stripe = new Stripe(settings.secret_key, {
    host: hostname,
    ...(port && { port }),
    protocol: protocol === 'http:' ? 'http' : 'https',
    timeout: TIMEOUT_MS,
    // Our own jobs retry unknown outcomes with the same idempotency key.
    maxNetworkRetries: 0,
    telemetry: false,
  })
  return {
    processor: 'stripe',
    settlement_account: { iban: settings.funding_iban, name: 'Stripe' },
    missing: missingOf,
    issue: card => outcomeOf(() => issue(stripe, settings, card)),
    setStatus: ({ order_id, provider_card_id, status }) =>
      outcomeOf(async () => {
        const once = { idempotencyKey: `status-${order_id}` }
        return statusOf(await stripe.issuing.cards.update(provider_card_id, { status }, once))
      }),
    readStatus: provider_card_id =>
      outcomeOf(async () => statusOf(await stripe.issuing.cards.retrieve(provider_card_id))),
    ephemeralKey: (issuing_card, nonce) =>
      outcomeOf(async () => {
        const request = { issuing_card, nonce }
        const key = await stripe.ephemeralKeys.create(request, {
          apiVersion: settings.ephemeral_key_version,
        })
        return { ephemeral_key_secret: key.secret!, publishable_key: settings.publishable_key }
      }),
    open: (payload, signature) => openEvent(stripe, settings, payload, signature),
    read: readEvent,
  }
}

async function issue(stripe: Stripe, settings: StripeSettings, card: CardToIssue) {
  const { card_id, constraints } = card
  const holder = await stripe.issuing.cardholders.create(cardholderOf(card), {
    idempotencyKey: `cardholder-${card_id}`,
  })
  const issued = await stripe.issuing.cards.create(
    {
      cardholder: holder.id,
      currency: 'eur',
      type: 'virtual',
      status: 'inactive',
      spending_controls: spendingControlsOf(constraints),
      metadata: { card_id },
    },
    { idempotencyKey: `card-${card_id}` },
  )
  return {
    provider_account_id: settings.account_id,
    provider_card_id: issued.id,
    brand: issued.brand,
    last4: issued.last4,
  }
}

function statusOf({ status }: { status: string }): CardStatus {
  return status as CardStatus
}

/**
 * Only a definitive refusal counts as refused; any other error leaves the outcome unknown. A
 * refusal carries Stripe's message. Any other error carries only its name, status code and request
 * id, for the log.
 */
async function outcomeOf<Done>(work: () => Promise<Done>): Promise<IssuerOutcome<Done>> {
  try {
    return { state: 'done', done: await work() }
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) {
      return { state: 'refused', reason: withoutCardNumbers(error.message) }
    }
    const { name, statusCode, requestId } = error as Stripe.errors.StripeError
    return { state: 'unknown', why: [name, statusCode, requestId].filter(Boolean).join(' ') }
  }
}
