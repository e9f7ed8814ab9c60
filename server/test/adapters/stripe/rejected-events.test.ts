/** Unsigned, expired, incorrect or impossible events at the card processor's webhook. */
import { beforeAll, expect, test } from 'vitest'
import { readOpenAlerts } from '../../../src/platform/alerts/index.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { activeCard, authorize, balanceOf, spend } from '../../support/cards.ts'
import { rowCounts } from '../../support/money.ts'
import { asOperator } from '../../support/operators.ts'
import { deliver, deliverText, fakeStripe, sign, stripeEvent } from '../../support/stripe.ts'
import {
  authorizationOf,
  authorizationRequest,
  transactionOf,
} from '../../support/stripe-purchases.ts'

let app: TestApp
beforeAll(async () => {
  const { settings } = await fakeStripe()
  app = await testApp({ work: false, config: { stripe: settings } })
})

const POOL = 5_000_000
const now = () => Math.floor(Date.now() / 1000)
type ActiveCard = Awaited<ReturnType<typeof activeCard>>

test('an event without a fresh processor signature is not processed', async () => {
  const card = await activeCard(app)
  await app.drain()
  const before = await rowCounts(app)
  const send = authorizationRequest(card, 'iauth_forged', 9_000)
  const payload = JSON.stringify({ object: 'event', ...send })
  const other = JSON.stringify({ object: 'event', ...authorizationRequest(card, 'iauth_other', 1) })
  const v0 = sign(payload).replace('v1=', 'v0=')
  for (const signature of [
    '',
    'v1=',
    't=1,v1=00',
    `t=${now()}`,
    v0,
    sign(payload, { secret: 'whsec_of_somebody_else' }),
    sign(payload, { timestamp: now() - 301 }),
    sign(other),
  ]) {
    const refused = await deliverText(app, payload, signature)
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ code: 'signature_invalid' })
  }
  const half = `${payload.slice(0, 40)}`
  for (const no_event of [half, '[]', `[${payload}]`, 'null', '7', '{}', '{"object":"event"}']) {
    expect((await deliverText(app, no_event, sign(no_event))).status).toBe(403)
  }
  const empty = JSON.stringify({ ...JSON.parse(payload), data: null })
  expect((await deliverText(app, empty, sign(empty))).status).toBeLessThan(500)
  expect((await fetch(`${app.base_url}/card-processor/events`, { method: 'POST' })).status).toBe(
    403,
  )
  expect((await fetch(`${app.base_url}/card-processor/events`)).status).toBe(405)
  const typed = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: payload }
  expect((await fetch(`${app.base_url}/card-processor/events`, typed)).status).toBe(415)
  expect(await rowCounts(app)).toEqual(before)
})

test('a request repeated a hundred times holds once; a repeated event counts once', async () => {
  const card = await activeCard(app)
  const send = authorizationRequest(card, 'iauth_replayed', 9_000)
  const answers = await Promise.all(Array.from({ length: 100 }, () => deliver(app, send)))
  for (const answer of answers) expect(await answer.json()).toEqual({ approved: true })
  expect(await balanceOf(app, card)).toMatchObject({ pending: 9_000 })
  const taken = { id: 'ipi_replayed', amount: -9_000, authorization: 'iauth_replayed' }
  const cleared = stripeEvent(
    'issuing_transaction.created',
    transactionOf(card, { ...taken, created: now() }),
  )
  await Promise.all(Array.from({ length: 20 }, () => deliver(app, cleared)))
  // The same transaction has no effect under another event ID either.
  await deliver(app, { ...cleared, id: 'evt_other_name' })
  await app.drain()
  expect(await balanceOf(app, card)).toMatchObject({ pending: 0, used: 9_000 })
  expect((await app.verify()).findings).toEqual([])
})

test('impossible amounts, currencies and cards are declined in real time', async () => {
  const card = await activeCard(app)
  const wrong: [string, object][] = [
    ['negative', { amount: -5_000 }],
    ['a fraction', { amount: 12.5 }],
    ['no number', { amount: 'many' }],
    ['beyond all bounds', { amount: 1e30 }],
    ['too large', { amount: 9e15 }],
    ['dollars', { amount: 100, currency: 'usd' }],
  ]
  for (const [what, request] of wrong) {
    const send = authorizationRequest(card, `iauth_${what.replaceAll(' ', '_')}`, 100)
    Object.assign((send.data.object as { pending_request: object }).pending_request, request)
    const answer = await deliver(app, send)
    expect([answer.status, await answer.json()], what).toEqual([200, { approved: false }])
  }
  const nobody = authorizationRequest({ provider_card_id: 'ic_nobody' }, 'iauth_nobody', 100)
  expect(await (await deliver(app, nobody)).json()).toEqual({ approved: false })
  const hollow = stripeEvent('issuing_authorization.request', { id: 'iauth_hollow' })
  expect(await (await deliver(app, hollow)).json()).toEqual({ approved: false })
  // An account check for an amount of zero reserves nothing.
  const check = authorizationRequest(card, 'iauth_check', 0)
  expect(await (await deliver(app, check)).json()).toEqual({ approved: true })
  expect(await balanceOf(app, card)).toMatchObject({ available: POOL, pending: 0, used: 0 })
  expect((await app.verify()).findings).toEqual([])
})

test('an authorization belongs to one card, even if another asks to increase it', async () => {
  const [own, other] = [await activeCard(app), await activeCard(app)]
  await deliver(app, authorizationRequest(own, 'iauth_own', 1_000))
  const more = await deliver(app, authorizationRequest(other, 'iauth_own', 500, { amount: 1_000 }))
  expect(await more.json()).toEqual({ approved: false })
  expect(await balanceOf(app, own)).toMatchObject({ pending: 1_000 })
  expect(await balanceOf(app, other)).toMatchObject({ pending: 0 })
})

test('implausible events are not booked, and raise alerts', async () => {
  const [card, other] = [await activeCard(app), await activeCard(app)]
  const own = 'iauth_named'
  await deliver(app, authorizationRequest(other, own, 2_000))
  const made = (amount: number, more: object = {}) => ({
    ...transactionOf(card, {
      id: `ipi_${crypto.randomUUID()}`,
      amount,
      authorization: null,
      created: now(),
    }),
    ...more,
  })
  const wrong: [string, object][] = [
    ['issuing_transaction.created', made(0)],
    ['issuing_transaction.created', made(-1e18)],
    ['issuing_transaction.created', made(-10.5)],
    ['issuing_transaction.created', made(-500, { currency: 'usd' })],
    ['issuing_transaction.created', made(-500, { created: 'yesterday' })],
    ['issuing_transaction.created', made(-500, { authorization: own })],
    ['issuing_transaction.created', { id: 'ipi_hollow' }],
    ['issuing_authorization.updated', authorizationOf(card, own, 700)],
    ['issuing_authorization.created', authorizationOf(card, 'iauth_below', -700)],
    ['issuing_dispute.funds_reinstated', { id: 'idp_1', amount: 'x', transaction: 'ipi_1' }],
    ['issuing_dispute.funds_rescinded', { id: 'idp_2', amount: 5, currency: 'eur' }],
  ]
  for (const [type, object] of wrong) {
    expect((await deliver(app, stripeEvent(type, object))).status).toBe(200)
  }
  await app.drain()
  const alerts = await asOperator(app, readOpenAlerts)
  expect(alerts.filter(alert => alert.kind === 'card_news_unfit')).toHaveLength(wrong.length)
  expect(await balanceOf(app, card)).toMatchObject({ available: POOL, pending: 0, used: 0 })
  expect(await balanceOf(app, other)).toMatchObject({ pending: 2_000 })
  // Unknown cards and unhandled event types raise no alert.
  const strange = { provider_card_id: 'ic_nobody' }
  const taken = { id: 'ipi_strange', amount: -5, authorization: null, created: now() }
  await deliver(app, stripeEvent('issuing_transaction.created', transactionOf(strange, taken)))
  await deliver(app, stripeEvent('payout.paid', { id: 'po_1' }))
  await app.drain()
  expect(await asOperator(app, readOpenAlerts)).toHaveLength(alerts.length)
  expect((await app.verify()).findings).toEqual([])
})

test('the line is exact when clearing, reversal and increase arrive at the same time', async () => {
  const cards = await Promise.all(Array.from({ length: 4 }, () => activeCard(app)))
  await Promise.all(cards.map(card => scramble(card)))
  await app.drain()
  for (const card of cards) {
    const { pending, used, available } = await balanceOf(app, card)
    expect(available).toBe(POOL - used)
    expect(pending).toBeGreaterThanOrEqual(0)
  }
  expect((await app.verify()).findings).toEqual([])
})

async function scramble(card: ActiveCard): Promise<void> {
  const held = await Promise.all(Array.from({ length: 5 }, () => authorize(app, card, 10_000)))
  const { client } = app
  await Promise.all(
    held.flatMap(({ authorization_id }) =>
      [
        client.clearSandboxAuthorization({ authorization_id, amount: 7_000 }),
        client.clearSandboxAuthorization({ authorization_id }),
        client.reverseSandboxAuthorization({ authorization_id, amount: 4_000 }),
        client.reverseSandboxAuthorization({ authorization_id }),
        client.incrementSandboxAuthorization({ authorization_id, amount: 5_000 }),
        spend(app, card, 100),
      ].map(work => work.catch(error => expect([409, 422]).toContain(error.status))),
    ),
  )
}
