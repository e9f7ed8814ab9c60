/** Webhooks as a partner uses them: managed with the SDK and delivered by a running server. */
import { type HeadroomProblem, verifyWebhook } from '@headroom/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp, until } from '../../support/app.ts'
import { readyBorrower } from '../../support/story.ts'
import { type Receiver, startReceiver, status } from '../../webhooks/receiver.ts'

let app: TestApp
let receiver: Receiver

beforeAll(async () => {
  app = await testApp()
  receiver = await startReceiver()
})
afterAll(() => receiver.close())

const input = { name: 'Hook', event_types: ['CreditLine.CREATED' as const] }

test('a new credit line sends a verifiable event with the same content as its GET', async () => {
  const { client } = app
  const { id, secret } = await client.createWebhook({ ...input, to_url: receiver.url })
  const borrower = await readyBorrower(app)
  const arrival = await until(async () => receiver.arrivals[0])
  const message = verifyWebhook(arrival.body, arrival.headers, secret)
  expect(message.type).toBe('CreditLine.CREATED')
  const { data: lines } = await client.listCreditLines({ borrower: [borrower.id] })
  expect(lines).toContainEqual(message.data)

  const { data: deliveries } = await client.listWebhookDeliveries({ webhook_id: id })
  expect(deliveries).toMatchObject([{ event_id: arrival.headers['webhook-id'] }])
  const { data: feed } = await client.listWebhookEvents({ type: ['CreditLine.CREATED'] })
  expect(feed).toEqual([{ id: arrival.headers['webhook-id'], ...message }])
})

test('a test event arrives and can be redelivered', async () => {
  const { client } = app
  const { id: webhook_id } = await client.createWebhook({ ...input, to_url: receiver.url })
  const ofTests = () => receiver.arrivals.filter(a => a.json.type === 'Webhook.TEST')
  const { id: delivery_id } = await client.testWebhook({ webhook_id })
  const delivered = async () => {
    const { data } = await client.listWebhookDeliveries({ webhook_id, status: ['DELIVERED'] })
    return data.length > 0
  }
  await until(delivered)
  const again = await client.retryWebhookDelivery({ webhook_id, delivery_id })
  expect(again.status).toBe('PENDING')
  await until(async () => ofTests().length === 2)
  await until(delivered)
})

test('statuses: 201, 200, 204, then 404', async () => {
  const { client } = app
  const created = await client.call('createWebhook', { ...input, to_url: receiver.url })
  const { id: webhook_id } = created.data
  const updated = await client.call('updateWebhook', { webhook_id, status: 'DISABLED' })
  const refused = client.testWebhook({ webhook_id })
  await expect(refused).rejects.toMatchObject({ status: 409, code: 'delivery_unavailable' })
  const deleted = await client.call('deleteWebhook', { webhook_id })
  expect([created.status, updated.status, deleted.status]).toEqual([201, 200, 204])
  const gone = await client.listWebhookDeliveries({ webhook_id }).catch((e: HeadroomProblem) => e)
  expect(gone).toMatchObject({ status: 404, code: 'resource_unknown' })
})

test('an invalid subscription is rejected with its faults, and none is created', async () => {
  const { client } = app
  const before = (await client.listWebhooks()).count
  const faultsOf = (body: object) =>
    client.createWebhook(body as never).then(
      () => 'made',
      problem => [problem.status, ...problem.invalid_params.map((p: { name: string }) => p.name)],
    )
  const to_url = receiver.url
  expect(await faultsOf({ ...input, to_url, event_types: ['Loan.EXPLODED'] })).toEqual([
    422,
    expect.stringMatching('event_types'),
  ])
  expect(await faultsOf({ ...input, to_url: 'ftp://example.com/' })).toEqual([422, 'to_url'])
  expect(await faultsOf({ ...input, to_url: 'http://169.254.169.254/' })).toEqual([422, 'to_url'])
  expect(await faultsOf({ to_url })).toEqual([422, 'name', 'event_types'])
  expect((await client.listWebhooks()).count).toBe(before)
})

test('another partner finds none of them', async () => {
  const { client, second } = app
  const { id: webhook_id } = await client.createWebhook({ ...input, to_url: receiver.url })
  expect((await second.listWebhooks()).data).toEqual([])
  expect((await second.listWebhookEvents()).data).toEqual([])
  await expect(second.deleteWebhook({ webhook_id })).rejects.toMatchObject({ status: 404 })
  await expect(second.rotateWebhookSecret({ webhook_id })).rejects.toMatchObject({ status: 404 })
})

test('a rotation signs with both secrets, and a repeat returns the same answer', async () => {
  const { client } = app
  const { id, secret: old } = await client.createWebhook({ ...input, to_url: receiver.url })
  const options = { idempotency_key: 'rotate-once' }
  const { secret } = await client.rotateWebhookSecret({ webhook_id: id }, options)
  const repeated = await client.rotateWebhookSecret({ webhook_id: id }, options)
  expect(repeated.secret).toBe(secret)
  receiver.arrivals.length = 0
  receiver.answer = status(200)
  await client.testWebhook({ webhook_id: id })
  const { body, headers } = await until(async () => receiver.arrivals[0])
  for (const s of [old, secret]) expect(verifyWebhook(body, headers, s).type).toBe('Webhook.TEST')
})
