/** A card's status is set at the processor first and then stored. Cancellation is final. */
import { beforeAll, expect, test, vi } from 'vitest'
import { type TestApp, testApp, until } from '../../support/app.ts'
import { activeCard, authorize } from '../../support/cards.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

test('active, inactive, active, canceled; repeats change nothing', async () => {
  const card = await activeCard(app)
  const set = (status: 'active' | 'inactive' | 'canceled') =>
    app.client.updateCardStatus({ card_id: card.id, status })
  expect((await set('active')).status).toBe('active')
  expect((await set('inactive')).status).toBe('inactive')
  expect(await authorize(app, card, 100)).toMatchObject({ reason: 'card_inactive' })
  await set('active')
  expect((await set('canceled')).status).toBe('canceled')
  expect((await set('canceled')).status).toBe('canceled')
  await expect(set('active')).rejects.toMatchObject({ status: 409, code: 'state_conflict' })
  expect(await authorize(app, card, 100)).toMatchObject({ reason: 'card_canceled' })
  const wrong = app.client.updateCardStatus({ card_id: card.id, status: 'deleted' } as never)
  await expect(wrong).rejects.toMatchObject({ status: 422 })
  await app.drain()
  const { data } = await app.client.listWebhookEvents({})
  const types = data.filter(e => (e.data as { id?: string }).id === card.id).map(e => e.type)
  expect(types.toSorted()).toEqual(
    [
      'Card.CREATED',
      'Card.INACTIVE',
      'Card.ACTIVE',
      'Card.INACTIVE',
      'Card.ACTIVE',
      'Card.CANCELED',
    ].toSorted(),
  )
})

test('an unanswered order is retried under its ID, and nothing is stored before', async () => {
  const card = await activeCard(app)
  const { cards } = app.context.ports
  const unknown = vi
    .spyOn(cards, 'setStatus')
    .mockResolvedValue({ state: 'unknown', why: 'silence' })
  const freeze = app.client.call(
    'updateCardStatus',
    { card_id: card.id, status: 'inactive' },
    { idempotency_key: crypto.randomUUID(), signal: AbortSignal.timeout(3_000) },
  )
  await expect(freeze).rejects.toThrow()
  expect((await app.client.getCard({ card_id: card.id })).status).toBe('active')
  const attempted = unknown.mock.calls.map(([order]) => order.order_id)
  unknown.mockRestore()
  const answered = vi.spyOn(cards, 'setStatus')
  await until(async () => (await app.client.getCard({ card_id: card.id })).status === 'inactive')
  const retried = answered.mock.calls.map(([order]) => order.order_id)
  answered.mockRestore()
  expect(attempted.length).toBeGreaterThan(0)
  expect(retried.length).toBeGreaterThan(0)
  expect(new Set([...attempted, ...retried]).size).toBe(1)
})

test('a refusal by the processor is a conflict', async () => {
  const card = await activeCard(app)
  const { cards } = app.context.ports
  const refused = vi
    .spyOn(cards, 'setStatus')
    .mockResolvedValue({ state: 'refused', reason: 'it is lost' })
  const off = app.client.updateCardStatus({ card_id: card.id, status: 'inactive' })
  await expect(off).rejects.toThrow(/it is lost/)
  refused.mockRestore()
  expect((await app.client.getCard({ card_id: card.id })).status).toBe('active')
})
