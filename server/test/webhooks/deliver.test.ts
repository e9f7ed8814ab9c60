/** Deliveries from a real database to a real receiver. */
import { createHook } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { publishEvents } from '../../src/partners/webhooks/index.ts'
import type { Caller } from '../../src/platform/access/caller.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { until } from '../support/until.ts'
import * as h from './fixture.ts'
import { type Receiver, startReceiver, status } from './receiver.ts'

let app: h.WebhookFixture
let caller: Caller
let receiver: Receiver
const receivers: Receiver[] = []

beforeAll(async () => {
  app = await h.startWebhookFixture()
})
beforeEach(async () => {
  await h.clearSubscriptions(app)
  caller = await h.newPartner(app)
  receiver = await startReceiver()
  receivers.push(receiver)
})
afterAll(() => Promise.all(receivers.map(r => r.close())))

test('an event arrives once, signed, with its own timestamp', async () => {
  const webhook = await h.subscribe(app, caller, receiver.url)
  const loan = await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  await h.recordSomething(app, caller, 'Loan.SUBMITTED')
  expect(await h.work(app)).toBe(1)
  expect(await h.work(app)).toBe(0)

  expect(receiver.arrivals).toHaveLength(1)
  const { body, headers, json } = receiver.arrivals[0]!
  expect(new Webhook(webhook.secret).verify(body, headers)).toEqual(json)
  expect(json).toMatchObject({ type: 'Loan.TO_REPAY', data: { id: loan } })
  expect(headers['content-type']).toBe('application/json')
  const behind = Date.parse(json.timestamp) - Number(headers['webhook-timestamp']) * 1000
  expect(Math.round(behind / 86_400_000)).toBe(1000)

  const [delivery] = await h.deliveriesOf(app, caller, webhook.id)
  expect(delivery).toMatchObject({
    event_id: headers['webhook-id'],
    event_type: 'Loan.TO_REPAY',
    status: 'DELIVERED',
    attempts: [{ response_status: 204, error: null }],
    next_attempt_at: null,
  })
})

test('receivers are called from a thread that serves no requests', async () => {
  await h.subscribe(app, caller, receiver.url)
  await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  let calls = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'HTTPCLIENTREQUEST') calls++
    },
  }).enable()
  try {
    expect(await h.work(app)).toBe(1)
  } finally {
    hook.disable()
  }
  expect(receiver.arrivals).toHaveLength(1)
  expect(calls).toBe(0)
})

test('a failure is retried under the same id until delivered', async () => {
  const webhook = await h.subscribe(app, caller, receiver.url)
  await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  receiver.answer = status(500)
  expect(await h.work(app)).toBe(1)
  expect(await h.work(app)).toBe(0)
  const [waiting] = await h.deliveriesOf(app, caller, webhook.id)
  const delay = Date.parse(waiting!.next_attempt_at!) - Date.now()
  expect(delay).toBeGreaterThan(2000)
  expect(delay).toBeLessThan(6001)

  receiver.answer = status(200)
  await h.makeDue(app, webhook.id)
  expect(await h.work(app)).toBe(1)
  const [delivered] = await h.deliveriesOf(app, caller, webhook.id)
  expect(delivered).toMatchObject({
    status: 'DELIVERED',
    attempts: [{ response_status: 500, error: 'answered 500' }, { response_status: 200 }],
  })
  expect(new Set(receiver.arrivals.map(a => a.headers['webhook-id'])).size).toBe(1)
})

test("after ten attempts it fails, and the resource's later events continue", async () => {
  const webhook = await h.subscribe(app, caller, receiver.url)
  const loan = await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  await h.recordSomething(app, caller, 'Loan.CLOSED', loan)
  receiver.answer = (response, { json }) =>
    status(json.type === 'Loan.TO_REPAY' ? 503 : 204)(response, undefined as never)
  for (let i = 0; i < 10; i++) {
    await h.work(app)
    await h.makeDue(app, webhook.id)
  }
  const [first, second] = await h.deliveriesOf(app, caller, webhook.id)
  expect(first).toMatchObject({ status: 'FAILED', next_attempt_at: null })
  expect(first!.attempts).toHaveLength(10)
  expect(second).toMatchObject({ status: 'DELIVERED' })
  const types = receiver.arrivals.map(a => a.json.type)
  expect(types).toEqual([...Array(10).fill('Loan.TO_REPAY'), 'Loan.CLOSED'])
})

test('Retry-After is respected', async () => {
  const webhook = await h.subscribe(app, caller, receiver.url)
  await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  receiver.answer = status(429, { 'retry-after': '3000' })
  await h.work(app)
  const [delivery] = await h.deliveriesOf(app, caller, webhook.id)
  const delay = Date.parse(delivery!.next_attempt_at!) - Date.now()
  expect(Math.round(delay / 60_000)).toBe(50)
})

test('410 disables the subscription', async () => {
  const webhook = await h.subscribe(app, caller, receiver.url)
  await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  receiver.answer = status(410)
  expect(await h.work(app)).toBe(1)
  await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  expect(await h.work(app)).toBe(0)
  const deliveries = await h.deliveriesOf(app, caller, webhook.id)
  expect(deliveries).toMatchObject([{ status: 'FAILED', next_attempt_at: null }])
  const { data } = await h.serve(app, caller, 'listWebhooks')
  const disabled_reason = 'The receiver answered 410 Gone.'
  expect(data).toMatchObject([{ id: webhook.id, status: 'DISABLED', disabled_reason }])
})

test('events about one resource arrive in order, a failure delaying the rest', async () => {
  const webhook = await h.subscribe(app, caller, receiver.url)
  const [held, free] = [newId(), newId()]
  await h.recordSomething(app, caller, 'Loan.TO_REPAY', held)
  await h.recordSomething(app, caller, 'Loan.TO_REPAY', free)
  await h.recordSomething(app, caller, 'Loan.CLOSED', held)
  await h.recordSomething(app, caller, 'Loan.CLOSED', free)
  const arrived = (id: string) =>
    receiver.arrivals.filter(a => a.json.data.id === id).map(a => a.json.type)
  receiver.answer = (response, arrival) =>
    status(arrival.json.data.id === held ? 500 : 200)(response, arrival)
  expect(await h.work(app)).toBe(3)
  expect(arrived(free)).toEqual(['Loan.TO_REPAY', 'Loan.CLOSED'])
  expect(arrived(held)).toEqual(['Loan.TO_REPAY'])
  // A later event waits as well.
  await h.recordSomething(app, caller, 'Loan.TO_REPAY', held)
  expect(await h.work(app)).toBe(0)

  receiver.answer = status(200)
  await h.makeDue(app, webhook.id)
  expect(await h.work(app)).toBe(3)
  expect(arrived(held).slice(1)).toEqual(['Loan.TO_REPAY', 'Loan.CLOSED', 'Loan.TO_REPAY'])
})

test("a partner's hanging receivers delay no other partner", async () => {
  const hanging: ServerResponse[] = []
  receiver.answer = response => hanging.push(response)
  for (let n = 0; n < 20; n++) await h.subscribe(app, caller, `${receiver.url}/${n}`)
  for (let n = 0; n < 8; n++) await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  const other = await h.newPartner(app)
  const quick = await startReceiver()
  receivers.push(quick)
  await h.subscribe(app, other, quick.url)
  const working = h.work(app)
  await until(() => hanging.length === 16)
  await h.recordSomething(app, other, 'Loan.CLOSED')
  await publishEvents(app.database)
  await until(() => quick.arrivals.length === 1)
  expect(hanging).toHaveLength(16)
  receiver.answer = status(204)
  for (const response of hanging) status(204)(response, undefined as never)
  expect(await working).toBe(161)
})

test('a slow receiver delays no other receiver', async () => {
  const slow = await h.subscribe(app, caller, receiver.url)
  const quick = await startReceiver()
  receivers.push(quick)
  await h.subscribe(app, caller, quick.url)
  receiver.answer = () => {}
  for (let i = 0; i < 20; i++) await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  const enough = new AbortController()
  quick.answer = (response, arrival) => {
    status(204)(response, arrival)
    // The quick receiver gets all events before the first attempts at the slow one end.
    if (quick.arrivals.length === 20) enough.abort()
  }
  await h.work(app, { timeout_ms: 2000, signal: enough.signal })
  expect(quick.arrivals).toHaveLength(20)
  expect(receiver.arrivals).toHaveLength(8)
  const tried = (await h.deliveriesOf(app, caller, slow.id)).filter(d => d.attempts.length > 0)
  expect(tried.map(d => d.attempts[0]!.error)).toEqual(Array(8).fill('no answer within 2000 ms'))
})

test('after a rotation both secrets sign for a day, then only the new one', async () => {
  const { id, secret: old } = await h.subscribe(app, caller, receiver.url)
  const { secret } = await h.serve(app, caller, 'rotateWebhookSecret', {
    params: { webhook_id: id },
  })
  expect(secret).not.toBe(old)
  await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  await h.work(app)
  const [first] = receiver.arrivals
  expect(first!.headers['webhook-signature']!.split(' ')).toHaveLength(2)
  for (const s of [old, secret])
    expect(new Webhook(s).verify(first!.body, first!.headers)).toEqual(first!.json)

  await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  await h.work(app, { at: new Date(Date.now() + 25 * 3_600_000) })
  const second = receiver.arrivals[1]!
  expect(new Webhook(secret).verify(second.body, second.headers)).toEqual(second.json)
  expect(() => new Webhook(old).verify(second.body, second.headers)).toThrow('No matching')
})

test('a delivery whose sender died is sent again under the same id', async () => {
  const webhook = await h.subscribe(app, caller, receiver.url)
  await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  // A sender that does not return, because its receiver withholds the answer.
  let arrived = () => {}
  const first = new Promise<void>(resolve => {
    arrived = resolve
  })
  const { promise: release, resolve: answerNow } = Promise.withResolvers<void>()
  receiver.answer = (response, arrival) => {
    arrived()
    release.then(() => status(204)(response, arrival))
  }
  const dead = h.work(app)
  await first
  receiver.answer = status(200)
  expect(await h.work(app)).toBe(0)
  const later = new Date(Date.now() + 61_000)
  expect(await h.work(app, { at: later })).toBe(1)
  const ids = receiver.arrivals.map(a => a.headers['webhook-id'])
  expect(ids).toHaveLength(2)
  expect(ids[0]).toBe(ids[1])
  // The first sender's late result is ignored.
  answerNow()
  await dead
  const [delivery] = await h.deliveriesOf(app, caller, webhook.id)
  expect(delivery).toMatchObject({ status: 'DELIVERED', attempts: [{ response_status: 200 }] })
})

test('a stopped sender takes no more deliveries, and abandons a silent receiver', async () => {
  const { id } = await h.subscribe(app, caller, receiver.url)
  for (let i = 0; i < 10; i++) await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  const stop = new AbortController()
  receiver.answer = () => stop.abort()
  const started = performance.now()
  expect(await h.work(app, { signal: stop.signal })).toBe(8)
  expect(performance.now() - started).toBeLessThan(8000)
  // Another sender delivers the rest once the leases have expired.
  receiver.answer = status(200)
  const later = new Date(Date.now() + 61_000)
  expect(await h.work(app, { at: later })).toBe(10)
  const all = await h.deliveriesOf(app, caller, id)
  expect(all.map(d => d.status)).toEqual(Array(10).fill('DELIVERED'))
})

test('concurrent senders send everything once, in order', async () => {
  const webhook = await h.subscribe(app, caller, receiver.url)
  const loans = Array.from({ length: 10 }, () => newId())
  for (const loan of loans) {
    for (const type of ['Loan.TO_REPAY', 'Loan.CLOSED'] as const) {
      await h.recordSomething(app, caller, type, loan)
    }
  }
  const counts = await Promise.all(Array.from({ length: 5 }, () => h.work(app)))
  expect(counts.reduce((a, b) => a + b)).toBe(20)
  const ids = receiver.arrivals.map(a => a.headers['webhook-id'])
  expect(new Set(ids).size).toBe(20)
  for (const loan of loans) {
    const types = receiver.arrivals.filter(a => a.json.data.id === loan).map(a => a.json.type)
    expect(types).toEqual(['Loan.TO_REPAY', 'Loan.CLOSED'])
  }
  const all = await h.deliveriesOf(app, caller, webhook.id)
  expect(new Set(all.map(d => d.status))).toEqual(new Set(['DELIVERED']))
})

test('every change of a delivery is recorded', async () => {
  const webhook = await h.subscribe(app, caller, receiver.url)
  await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  await h.work(app)
  const changes = await h.rows(
    app,
    `select s.from_status, s.to_status, s.actor from state_changes s
     join webhook_deliveries d on d.id = s.resource_id
     where d.webhook_id = '${webhook.id}' order by s.id`,
  )
  expect(changes).toEqual([
    { from_status: null, to_status: 'PENDING', actor: 'service' },
    { from_status: 'PENDING', to_status: 'DELIVERED', actor: 'service' },
  ])
})
