/** One card's orders reach the processor one at a time, whatever it answers and when. */
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import type {
  CardStatus,
  IssuerOutcome,
  StatusOrder,
} from '../../src/integrations/ports/card-issuer.ts'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { type TestApp, testApp, until } from '../support/app.ts'
import { activeCard } from '../support/cards.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ connections: POOL_MAX })
})

afterEach(() => {
  vi.restoreAllMocks()
})

type Outcome = IssuerOutcome<CardStatus>

/** Whether the processor receives a call, and whether it answers. */
interface Mood {
  readonly hears: boolean
  readonly answers: boolean
}

/** A fake processor that records received orders; `answer` completes the next waiting call. */
function processor() {
  const { cards } = app.context.ports
  let state: CardStatus = 'active'
  const heard = new Set<string>()
  const waiting: { order: StatusOrder; answer: (outcome: Outcome) => void }[] = []
  const setStatus = vi
    .spyOn(cards, 'setStatus')
    .mockImplementation(order => new Promise<Outcome>(answer => waiting.push({ order, answer })))
  vi.spyOn(cards, 'readStatus').mockImplementation(async () => ({ state: 'done', done: state }))
  const hear = ({ order_id, status }: StatusOrder): Outcome => {
    if (heard.has(order_id)) return { state: 'done', done: status }
    if (state === 'canceled') return { state: 'refused', reason: 'it is canceled' }
    heard.add(order_id)
    state = status
    return { state: 'done', done: status }
  }
  return {
    setStatus,
    waiting,
    state: () => state,
    answer: (mood: Mood) => {
      const { order, answer } = waiting.shift()!
      const outcome = mood.hears ? hear(order) : null
      answer(mood.answers && outcome ? outcome : { state: 'unknown', why: 'silence' })
    },
  }
}

const WELL = { hears: true, answers: true }
const UNHEARD = { hears: false, answers: false }
const UNANSWERED = { hears: true, answers: false }

const set = (card: { id: string }, status: CardStatus) =>
  app.client.updateCardStatus({ card_id: card.id, status })

const statusOf = async (card: { id: string }) =>
  (await app.client.getCard({ card_id: card.id })).status

test('the second of two waits for the answer to the first, and wins', async () => {
  const card = await activeCard(app)
  const fake = processor()
  const first = set(card, 'inactive')
  await until(async () => fake.waiting.length === 1)
  // The stored status is still active, but an order is unanswered, so the request is no repeat.
  const second = set(card, 'active')
  await until(async () => (await ordersOf(card)) === 4)
  expect(fake.waiting.map(({ order }) => order.status)).toEqual(['inactive'])
  fake.answer(WELL)
  expect((await first).status).toMatch(/active/)
  await until(async () => fake.waiting.length === 1)
  fake.answer(WELL)
  expect((await second).status).toBe('active')
  expect(fake.state()).toBe('active')
  expect(fake.setStatus.mock.calls.map(([order]) => order.status)).toEqual(['inactive', 'active'])
})

test('an unanswered order is retried before the next one is sent', async () => {
  const card = await activeCard(app)
  const fake = processor()
  const first = set(card, 'inactive')
  await until(async () => fake.waiting.length === 1)
  fake.answer(UNHEARD)
  await until(async () => fake.waiting.length === 1)
  const second = set(card, 'active')
  await until(async () => (await ordersOf(card)) === 4)
  fake.answer(UNANSWERED)
  for (let answered = 0; answered < 2; answered++) {
    await until(async () => fake.waiting.length === 1)
    fake.answer(WELL)
  }
  // The client retries both requests with their idempotency keys, and neither is ordered again.
  await Promise.all([first, second])
  expect(await openOrders(card)).toBe(0)
  const requested = fake.setStatus.mock.calls.map(([order]) => order.status)
  expect(requested).toEqual(['inactive', 'inactive', 'inactive', 'active'])
  expect(await statusOf(card)).toBe('active')
})

test('a repeated request joins the existing order', async () => {
  const card = await activeCard(app)
  const fake = processor()
  const both = [set(card, 'inactive'), set(card, 'inactive')]
  await until(async () => fake.waiting.length === 1)
  fake.answer(WELL)
  for (const { status } of await Promise.all(both)) expect(status).toBe('inactive')
  expect(fake.setStatus.mock.calls.length).toBe(1)
})

/** The number of calls answered at random. Every later call succeeds, so the test ends. */
const MOODS = 16

test('many at once, answered at random: processor and mirror end with the last one', async () => {
  const card = await activeCard(app)
  const fake = processor()
  const done = new AbortController()
  let answers = 0
  const answering = (async () => {
    while (!done.signal.aborted) {
      expect(fake.waiting.length, 'calls at the same time').toBeLessThanOrEqual(1)
      const mood = [WELL, WELL, UNHEARD, UNANSWERED][Math.floor(Math.random() * 4)]!
      if (fake.waiting.length > 0) fake.answer(answers++ < MOODS ? mood : WELL)
      await new Promise(resolve => setImmediate(resolve))
    }
  })()
  const requests = Array.from({ length: 12 }, (_, n) =>
    set(card, n % 2 === 0 ? 'inactive' : 'active').catch(() => null),
  )
  await Promise.all(requests)
  const last = await lastOrdered(card)
  await until(async () => (await openOrders(card)) === 0, 60_000)
  done.abort()
  await answering
  expect(fake.state()).toBe(last)
  expect(await statusOf(card)).toBe(last)
})

async function countOrders(card: { id: string }, where: string): Promise<number> {
  return transaction(app.context.database, { partners: '*', read_only: true }, async tx => {
    const { rows } = await tx.raw(
      `select count(*)::int as n from card_orders where card_id = $1 and ${where}`,
      [card.id],
    )
    return rows[0].n
  })
}

const ordersOf = (card: { id: string }) => countOrders(card, 'true')
const openOrders = (card: { id: string }) => countOrders(card, 'answered_at is null')

async function lastOrdered(card: { id: string }): Promise<string> {
  return transaction(app.context.database, { partners: '*', read_only: true }, async tx => {
    const { rows } = await tx.raw(
      `select wanted_status from card_orders where card_id = $1 order by position desc limit 1`,
      [card.id],
    )
    return rows[0].wanted_status
  })
}
