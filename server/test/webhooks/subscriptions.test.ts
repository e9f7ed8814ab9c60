/** Subscriptions through their operations: created, changed, tested, deleted, and isolated. */
import type { Answer, ProblemCode } from '@headroom/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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

const refusal = (code: ProblemCode, detail = '') =>
  expect.objectContaining({ code, message: expect.stringContaining(detail) })
const body = { name: 'Hook', to_url: 'https://example.com/hook', event_types: ['Loan.CLOSED'] }
const create = (over = {}) => h.serve(app, caller, 'createWebhook', { body: { ...body, ...over } })
const update = (webhook_id: string, body: Record<string, unknown>) =>
  h.serve(app, caller, 'updateWebhook', { params: { webhook_id }, body })
const list = (by = caller) => h.serve(app, by, 'listWebhooks')

test('the secret is shown only on creation and rotation, and stored encrypted', async () => {
  const { secret, ...webhook } = await create()
  expect(webhook).toMatchObject({ ...body, status: 'ACTIVE', disabled_reason: null })
  expect((await list()).data).toEqual([webhook])
  expect(await update(webhook.id, { name: 'Other' })).toEqual({ ...webhook, name: 'Other' })
  const stored = await h.rows(app, `select * from webhooks where id = '${webhook.id}'`)
  expect(JSON.stringify(stored)).not.toContain(secret.slice(6, 30))
})

test('forbidden targets and duplicate types are rejected, all at once', async () => {
  const event_types = ['Loan.CLOSED', 'Loan.TO_REPAY', 'Loan.CLOSED']
  await expect(create({ to_url: 'http://10.0.0.1/', event_types })).rejects.toMatchObject({
    code: 'request_invalid',
    extras: {
      invalid_params: [
        { name: 'to_url', reason: 'must not point into a private network' },
        { name: 'event_types', reason: 'names Loan.CLOSED more than once' },
      ],
    },
  })
  const { id } = await create()
  await expect(update(id, { to_url: 'https://a:b@example.com/' })).rejects.toEqual(
    refusal('request_invalid', 'user name'),
  )
  expect(() => create({ event_types: ['Loan.EXPLODED'] })).toThrow()
  expect((await list()).data).toMatchObject([{ id, to_url: body.to_url }])
})

test('a partner has at most 50, even with concurrent requests', async () => {
  const requested = await Promise.allSettled(Array.from({ length: 55 }, () => create()))
  const refused = requested.filter(a => a.status === 'rejected').map(a => a.reason)
  expect(refused).toEqual(Array(5).fill(refusal('limit_reached', '50')))
  const { data } = await list()
  expect(data).toHaveLength(50)
  await h.serve(app, caller, 'deleteWebhook', { params: { webhook_id: data[0]!.id } })
  await expect(create()).resolves.toMatchObject(body)
})

test('a changed subscription gets the events it names, at its target', async () => {
  const { id } = await h.subscribe(app, caller, 'http://127.0.0.1:9/', ['Loan.TO_REPAY'])
  await update(id, { to_url: receiver.url, event_types: ['Loan.CLOSED'] })
  await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  await h.recordSomething(app, caller, 'Loan.CLOSED')
  expect(await h.work(app)).toBe(1)
  expect(receiver.arrivals.map(a => a.json.type)).toEqual(['Loan.CLOSED'])
})

test('a disabled one gets nothing new; pending deliveries resume once it is enabled', async () => {
  const { id } = await h.subscribe(app, caller, receiver.url)
  const loan = await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  receiver.answer = status(500)
  await h.work(app)
  await h.recordSomething(app, caller, 'Loan.CLOSED', loan)
  await h.work(app)
  const disabled = await update(id, { status: 'DISABLED' })
  expect(disabled).toMatchObject({ status: 'DISABLED', disabled_reason: 'Disabled by its owner.' })
  await h.recordSomething(app, caller, 'Loan.CLOSED')
  await h.makeDue(app, id)
  expect(await h.work(app)).toBe(0)
  const waiting = await h.deliveriesOf(app, caller, id)
  const parked = { status: 'PENDING', next_attempt_at: null }
  expect(waiting).toMatchObject([parked, parked])

  receiver.answer = status(200)
  expect(await update(id, { status: 'ACTIVE' })).toMatchObject({ disabled_reason: null })
  expect(await h.work(app)).toBe(2)
  const types = receiver.arrivals.map(a => a.json.type)
  expect(types).toEqual(['Loan.TO_REPAY', 'Loan.TO_REPAY', 'Loan.CLOSED'])
})

test('a deleted one is unknown at once, and nothing more is sent to it', async () => {
  const webhook = await h.subscribe(app, caller, receiver.url)
  const params = { webhook_id: webhook.id }
  receiver.answer = status(500)
  const loan = await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  await h.recordSomething(app, caller, 'Loan.CLOSED', loan)
  await h.work(app)
  await expect(h.serve(app, caller, 'deleteWebhook', { params })).resolves.toBeNull()
  await h.makeDue(app, webhook.id)
  await h.recordSomething(app, caller, 'Loan.CLOSED')
  expect(await h.work(app)).toBe(0)
  expect(receiver.arrivals).toHaveLength(1)
  expect((await list()).data).toEqual([])
  await expect(h.deliveriesOf(app, caller, webhook.id)).rejects.toEqual(refusal('resource_unknown'))
  const sql = `select status from webhook_deliveries where webhook_id = '${webhook.id}'`
  expect(await h.rows(app, sql)).toEqual([{ status: 'FAILED' }, { status: 'FAILED' }])
})

test('deliveries of deleted ones are abandoned although a receiver does not answer', async () => {
  const webhook = await h.subscribe(app, caller, receiver.url, ['Loan.CLOSED'])
  for (let n = 0; n < 600; n++) await h.recordSomething(app, caller, 'Loan.CLOSED')
  const silent = await startReceiver()
  receivers.push(silent)
  silent.answer = () => {}
  await h.subscribe(app, caller, silent.url, ['Loan.TO_REPAY'])
  await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  receiver.answer = status(500, { 'retry-after': '600' })
  const stop = new AbortController()
  const round = h.work(app, { timeout_ms: 50_000, signal: stop.signal })
  await until(() => silent.arrivals.length === 1)
  await h.serve(app, caller, 'deleteWebhook', { params: { webhook_id: webhook.id } })
  const pending = `select from webhook_deliveries
    where webhook_id = '${webhook.id}' and status = 'PENDING'`
  await until(async () => (await h.rows(app, pending)).length === 0, 30_000)
  await silent.close()
  stop.abort()
  await round
})

describe('a test event', () => {
  const tryOut = (webhook_id: string) =>
    h.serve(app, caller, 'testWebhook', { params: { webhook_id } })

  test('is sent only to that subscription, whatever types it names', async () => {
    const { secret, ...webhook } = await h.subscribe(app, caller, receiver.url, ['Loan.CLOSED'])
    const other = await startReceiver()
    receivers.push(other)
    await h.subscribe(app, caller, other.url, ['Webhook.TEST'])
    const delivery = await tryOut(webhook.id)
    expect(delivery).toMatchObject({ status: 'PENDING', event_type: 'Webhook.TEST', attempts: [] })
    expect(await h.work(app)).toBe(1)
    expect(receiver.arrivals).toMatchObject([{ json: { type: 'Webhook.TEST', data: webhook } }])
    expect(receiver.arrivals[0]!.headers['webhook-id']).toBe(delivery.event_id)
    expect(other.arrivals).toEqual([])
    const [done] = await h.deliveriesOf(app, caller, webhook.id)
    expect(done).toMatchObject({ id: delivery.id, status: 'DELIVERED' })
  })

  test('is refused for a disabled subscription', async () => {
    const { id } = await create()
    await update(id, { status: 'DISABLED' })
    await expect(tryOut(id)).rejects.toEqual(refusal('delivery_unavailable', 'disabled'))
  })
})

describe('redelivery', () => {
  const retry = (webhook_id: string, delivery_id: string) =>
    h.serve(app, caller, 'retryWebhookDelivery', { params: { webhook_id, delivery_id } })
  const only = async (webhook_id: string) =>
    (await h.deliveriesOf(app, caller, webhook_id))[0] as Answer<'testWebhook'>

  test('of a delivered event: the same event under the same id', async () => {
    const { id } = await h.subscribe(app, caller, receiver.url)
    await h.recordSomething(app, caller, 'Loan.CLOSED')
    await h.work(app)
    const delivery = await only(id)
    expect(await retry(id, delivery.id)).toMatchObject({
      status: 'PENDING',
      event_id: delivery.event_id,
    })
    expect(await h.work(app)).toBe(1)
    const ids = receiver.arrivals.map(a => a.headers['webhook-id'])
    expect(ids).toEqual([delivery.event_id, delivery.event_id])
    expect((await only(id)).attempts).toHaveLength(2)
  })

  test('of a failed one: its schedule restarts', async () => {
    const { id } = await h.subscribe(app, caller, receiver.url)
    await h.recordSomething(app, caller, 'Loan.CLOSED')
    receiver.answer = status(500)
    for (let i = 0; i < 10; i++) {
      await h.work(app)
      await h.makeDue(app, id)
    }
    const failed = await only(id)
    expect(failed.status).toBe('FAILED')
    await retry(id, failed.id)
    expect(await h.work(app)).toBe(1)
    const again = await only(id)
    expect(again).toMatchObject({ status: 'PENDING' })
    expect(again.attempts).toHaveLength(11)
    const delay = Date.parse(again.next_attempt_at!) - Date.now()
    expect(delay).toBeLessThan(6001)
  })

  test('of one waiting for its next attempt: immediately', async () => {
    const { id } = await h.subscribe(app, caller, receiver.url)
    const loan = await h.recordSomething(app, caller, 'Loan.TO_REPAY')
    await h.recordSomething(app, caller, 'Loan.CLOSED', loan)
    receiver.answer = status(500)
    await h.work(app)
    const [waiting, held] = await h.deliveriesOf(app, caller, id)
    await expect(retry(id, held!.id)).rejects.toEqual(refusal('delivery_unavailable', 'earlier'))
    receiver.answer = status(200)
    await retry(id, waiting!.id)
    expect(await h.work(app)).toBe(2)
  })

  test('is refused while it is being sent, and while the subscription is disabled', async () => {
    const { id } = await h.subscribe(app, caller, receiver.url)
    await h.recordSomething(app, caller, 'Loan.CLOSED')
    const arrived = Promise.withResolvers<() => void>()
    receiver.answer = (response, arrival) => arrived.resolve(() => status(200)(response, arrival))
    const sending = h.work(app)
    const answerNow = await arrived.promise
    const delivery = await only(id)
    await expect(retry(id, delivery.id)).rejects.toEqual(
      refusal('delivery_unavailable', 'sent now'),
    )
    answerNow()
    await sending
    await update(id, { status: 'DISABLED' })
    await expect(retry(id, delivery.id)).rejects.toEqual(
      refusal('delivery_unavailable', 'disabled'),
    )
  })
})

test('another partner can neither see nor reach it', async () => {
  const { id: webhook_id } = await h.subscribe(app, caller, receiver.url)
  await h.recordSomething(app, caller, 'Loan.CLOSED')
  await h.work(app)
  const [delivery] = await h.deliveriesOf(app, caller, webhook_id)
  const stranger = await h.newPartner(app)
  expect((await list(stranger)).data).toEqual([])
  const params = { webhook_id, delivery_id: delivery!.id }
  const single = [
    ['updateWebhook', { name: 'Mine' }],
    ['deleteWebhook'],
    ['testWebhook'],
    ['rotateWebhookSecret'],
    ['listWebhookDeliveries'],
    ['retryWebhookDelivery'],
  ] as const
  for (const [operation, body] of single) {
    const attempt = h.serve(app, stranger, operation, { params, body })
    await expect(attempt).rejects.toEqual(refusal('resource_unknown'))
  }
  const { id: own } = await h.subscribe(app, stranger, receiver.url)
  const crossed = { webhook_id: own, delivery_id: delivery!.id }
  await expect(h.serve(app, stranger, 'retryWebhookDelivery', { params: crossed })).rejects.toEqual(
    refusal('resource_unknown'),
  )
  await h.recordSomething(app, stranger, 'Loan.CLOSED')
  expect(await h.work(app)).toBe(1)
  expect(await h.deliveriesOf(app, caller, webhook_id)).toEqual([delivery])
})

test('an unknown subscription or delivery is 404', async () => {
  const webhook_id = newId()
  await expect(update(webhook_id, {})).rejects.toEqual(refusal('resource_unknown'))
  const { id } = await create()
  const params = { webhook_id: id, delivery_id: newId() }
  await expect(h.serve(app, caller, 'retryWebhookDelivery', { params })).rejects.toEqual(
    refusal('resource_unknown'),
  )
})

test('deliveries are listed newest first, by status, page by page', async () => {
  const { id: webhook_id } = await h.subscribe(app, caller, receiver.url)
  for (let i = 0; i < 5; i++) await h.recordSomething(app, caller, 'Loan.CLOSED')
  await h.work(app)
  receiver.answer = status(500)
  await h.recordSomething(app, caller, 'Loan.CLOSED')
  await h.work(app)
  const read = (query: object) =>
    h.serve(app, caller, 'listWebhookDeliveries', { params: { webhook_id }, query: { ...query } })
  expect((await read({ status: 'PENDING' })).data).toHaveLength(1)
  expect((await read({ status: ['PENDING', 'FAILED'] })).data).toHaveLength(1)
  const first = await read({ status: 'DELIVERED', page_size: 3 })
  const cursor = new URLSearchParams(first.next_page!.split('?')[1]).get('cursor')
  const second = await read({ status: 'DELIVERED', page_size: 3, cursor })
  const ids = [...first.data, ...second.data].map(d => d.id)
  expect(ids).toHaveLength(5)
  expect(ids).toEqual(ids.toSorted().reverse())
})
