/**
 * A fake server with the card processor's HTTP API, and events that Stripe's own library signs.
 */
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import Stripe from 'stripe'
import type { TestApp } from './app.ts'
import { closeAfterwards } from './closing.ts'

const WEBHOOK_SECRET = 'whsec_of_tests'
const library = new Stripe('sk_test_of_tests')

export interface StripeCall {
  readonly path: string
  readonly form: Record<string, string>
  readonly key: string | undefined
}

/** Answers like Stripe; a repeated idempotency key gets the same answer. */
export async function fakeStripe() {
  const calls: StripeCall[] = []
  const kept = new Map<string, unknown>()
  let broken = 0
  let refusal: string | null = null
  const server = createServer(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await text(request)))
    const key = request.headers['idempotency-key'] as string | undefined
    const path = request.url!
    calls.push({ path, form, key })
    if (broken > 0) {
      broken--
      return response.writeHead(500).end('{"error":{"message":"try again"}}')
    }
    if (refusal) {
      const error = { type: 'invalid_request_error', message: refusal }
      refusal = null
      return response.writeHead(400).end(JSON.stringify({ error }))
    }
    const answer = (key && kept.get(key)) || answerOf(path, form, request)
    if (key) kept.set(key, answer)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closeAfterwards(() => new Promise(resolve => server.close(resolve)))
  const { port } = server.address() as { port: number }
  return {
    calls,
    breakNext: (times: number) => {
      broken = times
    },
    /** Answers the next call with this message and status 400, which the service does not retry. */
    refuseNext: (message: string) => {
      refusal = message
    },
    settings: {
      secret_key: 'sk_test_of_tests',
      publishable_key: 'pk_test_of_tests',
      webhook_secret: WEBHOOK_SECRET,
      account_id: 'acct_of_tests',
      funding_iban: 'DE89370400440532013000',
      api_base: `http://127.0.0.1:${port}`,
      ephemeral_key_version: '2020-03-02',
    },
  }
}

let made = 0

const statuses = new Map<string, string>()

/** The secrets in the processor's answers about a card, which the service must not store. */
export const CARD_SECRETS = { number: '4242424242424242', cvc: '987-code' }

function cardOf(id: string) {
  const shown = { brand: 'Visa', last4: '4242', status: statuses.get(id), ...CARD_SECRETS }
  return { id, object: 'issuing.card', ...shown }
}

/** Changes a card's status directly at the processor. */
export function setAtStripe({ provider_card_id }: { provider_card_id: string | null }, to: string) {
  statuses.set(provider_card_id!, to)
}

function answerOf(path: string, form: Record<string, string>, request: IncomingMessage) {
  if (path === '/v1/issuing/cardholders')
    return { id: `ich_${++made}`, object: 'issuing.cardholder' }
  if (path === '/v1/issuing/cards') {
    const id = `ic_${++made}`
    statuses.set(id, form.status!)
    return cardOf(id)
  }
  if (path.startsWith('/v1/issuing/cards/')) {
    const id = path.split('/').at(-1)!
    if (form.status) statuses.set(id, form.status)
    return cardOf(id)
  }
  if (path === '/v1/ephemeral_keys') {
    const version = request.headers['stripe-version']
    return { id: 'ephkey_1', object: 'ephemeral_key', secret: `ek_test_${form.nonce}_${version}` }
  }
  throw new Error(`nothing is at ${path}`)
}

export interface StripeEvent {
  readonly id: string
  readonly type: string
  readonly created: number
  readonly data: { readonly object: object }
}

export function stripeEvent(type: string, object: object, more: Partial<StripeEvent> = {}) {
  const created = Math.floor(Date.now() / 1000)
  return { id: `evt_${++made}`, type, created, data: { object }, ...more } satisfies StripeEvent
}

/** Delivers an event, signed unless `signature` is given. */
export function deliver(app: TestApp, event: StripeEvent, signature?: string) {
  return deliverText(app, JSON.stringify({ object: 'event', ...event }), signature)
}

/** Signs a payload, by default with the webhook secret; `timestamp` is in seconds. */
export function sign(payload: string, options: { secret?: string; timestamp?: number } = {}) {
  const secret = options.secret ?? WEBHOOK_SECRET
  return library.webhooks.generateTestHeaderString({ payload, ...options, secret })
}

export function deliverText({ base_url }: TestApp, payload: string, signature?: string) {
  const header = signature ?? sign(payload)
  return fetch(`${base_url}/card-processor/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': header },
    body: payload,
  })
}
