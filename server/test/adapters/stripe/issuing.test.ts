/** Stripe Issuing against a fake HTTP server: orders, real-time authorization, unordered events. */
import { beforeAll, expect, test } from 'vitest'
import { readOpenAlerts } from '../../../src/platform/alerts/index.ts'
import { type TestApp, testApp, until } from '../../support/app.ts'
import { activeCard, asBorrower, balanceOf } from '../../support/cards.ts'
import { asOperator } from '../../support/operators.ts'
import { readyBorrower } from '../../support/story.ts'
import {
  deliver,
  fakeStripe,
  type StripeEvent,
  setAtStripe,
  stripeEvent,
} from '../../support/stripe.ts'
import {
  authorizationOf,
  authorizationRequest,
  transactionOf,
} from '../../support/stripe-purchases.ts'

let app: TestApp
let stripe: Awaited<ReturnType<typeof fakeStripe>>
beforeAll(async () => {
  stripe = await fakeStripe()
  app = await testApp({ config: { stripe: stripe.settings } })
})

const POOL = 5_000_000
const HOLDER = { first_name: 'Ada', last_name: 'Byron' }
const now = () => Math.floor(Date.now() / 1000)

type Card = { provider_card_id: string | null }

const authorization = (id: string, card: Card, amount: number, more: object = {}) =>
  authorizationOf(card, id, amount, more)

const transaction = (id: string, card: Card, amount: number, of: string | null) =>
  transactionOf(card, { id, amount, authorization: of, created: now() })

const asking = (id: string, card: Card, amount: number, more: object = {}) =>
  authorizationRequest(card, id, amount, more)

test('cardholder, card, status and ephemeral key are each created once under our ID', async () => {
  const card = await activeCard(app)
  expect(card).toMatchObject({ last4: '4242', provider_account_id: 'acct_of_tests' })
  const orders = stripe.calls.filter(call => call.form['metadata[card_id]'] === card.id)
  expect(new Set(orders.map(call => call.key)).size).toBe(2)
  const holder = await asBorrower(app, card.borrower.id)
  const shown = await holder.createCardEphemeralKey({ card_id: card.id, nonce: 'abc' })
  expect(shown).toEqual({
    ephemeral_key_secret: 'ek_test_abc_2020-03-02',
    publishable_key: 'pk_test_of_tests',
    provider_account_id: 'acct_of_tests',
    provider_card_id: card.provider_card_id,
  })
  stripe.breakNext(1)
  await app.client.updateCardStatus({ card_id: card.id, status: 'inactive' }).catch(() => {})
  await until(async () => (await app.client.getCard({ card_id: card.id })).status === 'inactive')
})

test('authorization requests are answered in real time, and only to Stripe', async () => {
  const card = await activeCard(app)
  const send = asking('iauth_rt1', card, 9_000)
  expect((await deliver(app, send, 't=1,v1=00')).status).toBe(403)
  const answer = await deliver(app, send)
  expect(answer.headers.get('stripe-version')).toMatch(/^\d{4}-\d{2}-\d{2}/)
  expect(await answer.json()).toEqual({ approved: true })
  expect(await (await deliver(app, send)).json()).toEqual({ approved: true })
  expect(await balanceOf(app, card)).toMatchObject({ pending: 9_000 })
  const more = asking('iauth_rt1', card, 1_000, { amount: 9_000 })
  for (const _ of [1, 2])
    expect(await (await deliver(app, more)).json()).toEqual({ approved: true })
  expect(await balanceOf(app, card)).toMatchObject({ pending: 10_000 })
  const tooMuch = asking('iauth_rt2', card, POOL)
  expect(await (await deliver(app, tooMuch)).json()).toEqual({ approved: false })
  const strange = asking('iauth_rt3', { provider_card_id: 'ic_nobody' }, 1)
  expect(await (await deliver(app, strange)).json()).toEqual({ approved: false })
  expect((await app.verify()).findings).toEqual([])
})

/** All events of a purchase in two captures, with its refund and its dispute. */
function storyOf(card: Card, name: string): StripeEvent[] {
  const [auth, t1, t2] = [`iauth_${name}`, `ipi_${name}_1`, `ipi_${name}_2`]
  const first = transaction(t1, card, -6_000, auth)
  const second = transaction(t2, card, -5_000, auth)
  const open = authorization(auth, card, 12_000)
  const partly = authorization(auth, card, 6_000, { transactions: [first] })
  const closed = authorization(auth, card, 0, { status: 'closed', transactions: [first, second] })
  const dispute = { id: `idp_${name}`, amount: 2_000, currency: 'eur', transaction: t1 }
  return [
    stripeEvent('issuing_authorization.created', open),
    stripeEvent('issuing_transaction.created', first),
    stripeEvent('issuing_authorization.updated', partly),
    stripeEvent('issuing_transaction.created', second),
    stripeEvent('issuing_authorization.updated', closed),
    stripeEvent('issuing_transaction.created', transaction(`ipi_${name}_r`, card, 1_500, auth)),
    stripeEvent('issuing_dispute.funds_reinstated', dispute),
  ]
}

test('repeated, reversed and shuffled events lead to the same balances and books', async () => {
  const orders: ((events: StripeEvent[]) => StripeEvent[])[] = [
    events => events,
    events => events.toReversed(),
    events => [...events, ...events],
    events => [4, 2, 6, 0, 5, 3, 1].map(n => events[n]!),
    events => [1, 3, 5, 6, 4, 4, 0, 2].map(n => events[n]!),
  ]
  for (const [n, order] of orders.entries()) {
    const card = await activeCard(app)
    for (const event of order(storyOf(card, `s${n}`))) {
      expect((await deliver(app, event)).status).toBe(200)
      await app.drain()
    }
    expect(await asOperator(app, readOpenAlerts)).toEqual([])
    expect(await balanceOf(app, card), `order ${n}`).toMatchObject({
      pending: 0,
      used: 7_500,
      available: POOL - 7_500,
    })
    const entries = await app.client.listCardEntries({ card_id: card.id })
    expect(entries.map(e => e.amount).toSorted((a, b) => a - b)).toEqual([
      -2_000, -1_500, 5_000, 6_000,
    ])
  }
  expect((await app.verify()).findings).toEqual([])
})

test('a dispute of an unknown movement waits and raises an alert', async () => {
  const card = await activeCard(app)
  const taken = transaction('ipi_unknown', card, -3_000, null)
  const dispute = { id: 'idp_unknown', amount: 2_000, currency: 'eur', transaction: taken.id }
  await deliver(app, stripeEvent('issuing_dispute.funds_reinstated', dispute))
  await deliver(app, stripeEvent('issuing_dispute.funds_rescinded', { ...dispute, amount: 500 }))
  await app.drain()
  expect((await asOperator(app, readOpenAlerts)).map(alert => alert.kind)).toEqual([
    'card_news_unfit',
    'card_news_unfit',
  ])
  await deliver(app, stripeEvent('issuing_transaction.created', taken))
  await app.drain()
  expect(await balanceOf(app, card)).toMatchObject({ used: 3_000 - 2_000 + 500 })
  expect(await asOperator(app, readOpenAlerts)).toEqual([])
})

test("Stripe's own decisions are followed, and movements days late are booked", async () => {
  const card = await activeCard(app)
  await deliver(app, asking('iauth_late', card, 3_000))
  const timedOut = authorization('iauth_late', card, 3_000, { approved: false, status: 'closed' })
  await deliver(app, stripeEvent('issuing_authorization.created', timedOut))
  await app.drain()
  expect(await balanceOf(app, card)).toMatchObject({ pending: 0, used: 0 })
  await app.client.advanceSandboxClock({ days: 3 })
  const late = transaction('ipi_late', card, -3_000, 'iauth_late')
  await deliver(app, stripeEvent('issuing_transaction.created', late))
  await app.drain()
  expect(await balanceOf(app, card)).toMatchObject({ pending: 0, used: 3_000 })
  const lost = { id: card.provider_card_id, status: 'canceled' }
  await deliver(app, stripeEvent('issuing_card.updated', lost))
  await app.drain()
  expect((await app.client.getCard({ card_id: card.id })).status).toBe('canceled')
  expect((await app.verify()).findings).toEqual([])
})

test("a status event applies the card's current status at Stripe", async () => {
  const card = await activeCard(app)
  const { id: card_id, provider_card_id: id } = card
  await app.client.updateCardStatus({ card_id, status: 'inactive' })
  // This event is outdated, because our own order has deactivated the card since.
  await deliver(app, stripeEvent('issuing_card.updated', { id, status: 'active' }))
  await app.drain()
  expect((await app.client.getCard({ card_id })).status).toBe('inactive')
  setAtStripe(card, 'active')
  const changed = stripeEvent('issuing_card.updated', { id, status: 'active' })
  for (const event of [changed, changed]) await deliver(app, event)
  await app.drain()
  expect((await app.client.getCard({ card_id })).status).toBe('active')
})

test('limits and categories also apply at Stripe; without any, the line decides', async () => {
  const borrower = await readyBorrower(app)
  const spending_limits = [
    { amount: 5_000, interval: 'per_authorization' as const },
    { amount: 90_000, interval: 'weekly' as const },
  ]
  const constraints = { spending_limits, blocked_categories: ['betting_casino_gambling'] }
  const input = { borrower_id: borrower.id, ...HOLDER, phone_number: '+34 612 34 56 78' }
  const limited = await app.client.createCard({ ...input, constraints })
  await app.client.createCard(input)
  const [first, second] = stripe.calls
    .filter(call => call.path === '/v1/issuing/cards')
    .slice(-2)
    .map(call => call.form)
  expect(first).toMatchObject({
    'spending_controls[spending_limits][0][amount]': '5000',
    'spending_controls[spending_limits][0][interval]': 'per_authorization',
    'spending_controls[spending_limits][1][amount]': '90000',
    'spending_controls[spending_limits][1][interval]': 'weekly',
    'spending_controls[blocked_categories][0]': 'betting_casino_gambling',
  })
  expect(second!['spending_controls[spending_limits][0][amount]']).toBe('20000000')
  const both = { allowed_categories: ['bakeries'], blocked_categories: ['bakeries'] }
  await expect(app.client.createCard({ ...input, constraints: both })).rejects.toMatchObject({
    status: 422,
    invalid_params: [{ name: 'constraints.blocked_categories' }],
  })
  await app.client.updateCardStatus({ card_id: limited.id, status: 'active' })
  const tooMuch = await deliver(app, asking('iauth_limit', limited, 5_001))
  expect(await tooMuch.json()).toEqual({ approved: false })
  const gambling = { merchant_data: { name: 'Bet', category: 'betting_casino_gambling' } }
  const bet = await deliver(app, asking('iauth_bet', limited, 100, gambling))
  expect(await bet.json()).toEqual({ approved: false })
})

test('a cardholder has the fields that Stripe requires in Europe', async () => {
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  const address = { address_line_1: '1 rue de la Paix', city: 'Paris', postal_code: '75002' }
  const grace = { first_name: 'Grace', last_name: 'Hopper', birth_date: '1970-12-09' }
  const reached = { business_phone_number: '0033 6 12 34 56 78', business_email: 'g@hop.example' }
  await app.client.updateBorrower({
    borrower_id: borrower.id,
    address: { ...address, country: 'FRA' },
    directors: [{ ...grace, ...reached, role: 'DIRECTOR', entity_type: 'people' }],
  })
  const of = { borrower_id: borrower.id, first_name: 'grace', last_name: 'Hopper' }
  await app.client.createCard(of)
  const holder = stripe.calls.filter(call => call.path === '/v1/issuing/cardholders').at(-1)!
  expect(holder.form).toMatchObject({
    type: 'individual',
    email: 'g@hop.example',
    phone_number: '+33612345678',
    'individual[first_name]': 'grace',
    'individual[dob][year]': '1970',
    'individual[dob][month]': '12',
    'individual[dob][day]': '9',
    'billing[address][line1]': '1 rue de la Paix',
    'billing[address][city]': 'Paris',
    'billing[address][postal_code]': '75002',
    'billing[address][country]': 'FR',
  })
  const calls = stripe.calls.length
  const stranger = { ...of, first_name: 'H4xx', last_name: 'Nobody' }
  await expect(app.client.createCard(stranger)).rejects.toMatchObject({
    status: 422,
    invalid_params: [{ name: 'first_name' }, { name: 'phone_number' }],
  })
  expect(stripe.calls.length).toBe(calls)
})
