/** Card numbers, security codes and card keys appear in no log, row or response. */
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { activeCard, asBorrower } from '../../support/cards.ts'
import { CARD_SECRETS, deliver, fakeStripe, stripeEvent } from '../../support/stripe.ts'

const { number, cvc } = CARD_SECRETS
const GROUPED = number.replace(/(\d{4})(?=\d)/g, '$1 ')
const NONCE = 'a-nonce-of-the-borrower'

const logged: string[] = []
let app: TestApp
let stripe: Awaited<ReturnType<typeof fakeStripe>>
/** The responses that the tests have seen, with headers and bodies. */
const answered: string[] = []

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: line => void logged.push(line) })
  stripe = await fakeStripe()
  app = await testApp({ config: { stripe: stripe.settings }, log })
})

async function heard(response: Response): Promise<Response> {
  answered.push(JSON.stringify([...response.headers]), await response.clone().text())
  return response
}

async function send(method: string, path: string, key: string, body?: object) {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  }
  const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  return heard(await fetch(`${app.base_url}${path}`, sent))
}

test('no card secret sent by the processor is stored, logged or returned', async () => {
  const card = await activeCard(app)
  const holder = await asBorrower(app, card.borrower.id)
  const shown = await holder.createCardEphemeralKey({ card_id: card.id, nonce: NONCE })
  const secret = shown.ephemeral_key_secret
  await story(card)
  await everyRead(card)
  await app.drain()
  // A response may still be logged after it has been sent.
  await setImmediate()
  const secrets = [number, GROUPED, cvc, secret, NONCE, 'sk_test_of_tests']
  for (const one of secrets) {
    expect(
      logged.filter(line => line.includes(one)),
      `logged: ${one}`,
    ).toEqual([])
    expect(answered.filter(text => text.includes(one)).length, `answered: ${one}`).toBe(0)
    expect(await rowsWith(one), `kept: ${one}`).toEqual([])
  }
  expect(logged.length).toBeGreaterThan(20)
  expect(answered.length).toBeGreaterThan(20)
  expect((await app.verify()).findings).toEqual([])
})

/**
 * Issues a card, sends orders that fail or are refused, and delivers every event type, each with
 * the card number and code.
 */
async function story(card: Awaited<ReturnType<typeof activeCard>>) {
  const id = card.provider_card_id!
  const inside = { id, ...CARD_SECRETS, status: 'active' }
  const money = { currency: 'eur', merchant_currency: 'eur', amount: 700, merchant_amount: 700 }
  const merchant_data = { name: `Bistro ${GROUPED}`, category: 'bakeries' }
  const created = Math.floor(Date.now() / 1000)
  const authorization = {
    id: 'iauth_secret',
    ...money,
    merchant_data,
    created,
    card: inside,
    approved: true,
    status: 'pending',
    request_history: [{}],
    transactions: [],
    wallet: { token: number },
  }
  const taken = { id: 'ipi_secret', ...money, merchant_data, created, card: inside }
  const request = { ...authorization, amount: 0, approved: false, request_history: [] }
  const pending_request = { ...money, merchant_data, is_amount_controllable: false }
  const dispute = { id: 'idp_secret', amount: 100, currency: 'eur', transaction: taken }
  for (const event of [
    stripeEvent('issuing_authorization.request', { ...request, pending_request }),
    stripeEvent('issuing_authorization.created', authorization),
    stripeEvent('issuing_transaction.created', {
      ...taken,
      amount: -700,
      authorization: authorization.id,
    }),
    stripeEvent('issuing_card.updated', inside),
    stripeEvent('issuing_dispute.funds_reinstated', dispute),
    stripeEvent('issuing_card.created', inside),
  ]) {
    expect((await heard(await deliver(app, event))).status).toBe(200)
    await app.drain()
  }
  expect((await heard(await deliver(app, stripeEvent('x', inside), 't=1,v1=0'))).status).toBe(403)
  stripe.refuseNext(`No such card: ${number}, nor ${GROUPED}`)
  expect(
    (await send('PATCH', `/cards/${card.id}/status`, app.key, { status: 'inactive' })).status,
  ).toBe(409)
  stripe.breakNext(1)
  await send('PATCH', `/cards/${card.id}/status`, app.key, { status: 'inactive' })
  await app.drain()
}

async function everyRead(card: { id: string; borrower: { id: string } }) {
  const { id } = card
  for (const path of [
    '/cards',
    `/cards/${id}`,
    `/cards/${id}/entries`,
    `/cards/${id}/entries/export`,
    `/cards/${id}/entries/export?format=pdf`,
    `/borrower/${card.borrower.id}`,
    '/webhook-events?page_size=500',
    '/metrics',
    '/governance/attempts',
  ]) {
    expect((await send('GET', path, app.key)).ok, path).toBe(true)
  }
}

/** Every table with a row that contains the text, even in JSON, an array or bytes. */
async function rowsWith(secret: string): Promise<string[]> {
  return transaction(app.context.database, { partners: '*', read_only: true }, async tx => {
    const { rows: tables } = await tx.raw(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname = 'public'`,
    )
    expect(tables.length).toBeGreaterThan(50)
    const found: string[] = []
    for (const { name } of tables) {
      const { rows } = await tx.raw(
        `select 1 from ${name} t where strpos(t::text, $1) > 0
           or strpos(t::text, encode(convert_to($1, 'UTF8'), 'hex')) > 0 limit 1`,
        [secret],
      )
      if (rows.length > 0) found.push(name)
    }
    return found
  })
}

test('the search finds a stored value', async () => {
  const card = await activeCard(app)
  expect(await rowsWith(card.provider_card_id!)).toContain('public.cards')
})
