/** Stripe's events about purchases give the same books in any order, repeated or days late. */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { readOpenAlerts } from '../../../src/platform/alerts/index.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { activeCard, balanceOf } from '../../support/cards.ts'
import { asOperator } from '../../support/operators.ts'
import { deliver, fakeStripe, type StripeEvent } from '../../support/stripe.ts'
import { purchaseOf, type Step } from '../../support/stripe-purchases.ts'

let app: TestApp
beforeAll(async () => {
  const { settings } = await fakeStripe()
  // The test processes each event before it sends the next, so no worker may run jobs.
  app = await testApp({ work: false, config: { stripe: settings } })
})

const amount = fc.integer({ min: 1, max: 300_00 })
const ofMoney = ['increment', 'give_back', 'capture', 'refund', 'dispute'] as const
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('increment', 'give_back'), amount }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom(...ofMoney), amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('close', 'reverse') }) },
) as fc.Arbitrary<Step>
const purchase = fc.record({
  amount: fc.integer({ min: 500_00, max: 1_500_00 }),
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
})

const life = fc.record({
  purchases: fc.array(purchase, { minLength: 1, maxLength: 3 }),
  /** Sort keys: the order in which the second card's events arrive. */
  shuffle: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 40, maxLength: 40 }),
  late_from: fc.integer({ min: 0, max: 12 }),
  days: fc.constantFrom(0, 0, 0, 3, 9),
  /** Starts near the end of a month, so that a cycle closes within `days`; unused for 0 days. */
  before_close: fc.constantFrom(true, false, false),
})

let run = 0

/** A card's visible figures, whatever intermediate states its entries went through. */
async function figures(card: Awaited<ReturnType<typeof activeCard>>) {
  const entries = await app.client.listCardEntries({ card_id: card.id })
  const moved = entries
    .filter(entry => entry.status === 'completed')
    .map(entry => `${entry.transaction_type} ${entry.amount}`)
  return { balance: await balanceOf(app, card), moved: moved.toSorted() }
}

test('purchase events commute, and repeats have no effect', async () => {
  await fc.assert(
    fc.asyncProperty(life, async ({ purchases, shuffle, late_from, days, before_close }) => {
      if (before_close && days > 0) await toEndOfMonth()
      const [straight, mixed] = [await activeCard(app), await activeCard(app)]
      const name = `r${++run}`
      // Dates the events in business time, because an authorization stops reserving a week after
      // its date.
      const began = new Date((await app.client.getSandboxClock()).now)
      const eventsOf = (card: typeof straight, of: string) =>
        purchases.flatMap((p, n) => purchaseOf(card, `${name}${of}${n}`, p, began))
      await deliverAll(eventsOf(straight, 'a'))
      const sorted = eventsOf(mixed, 'b')
        .map((event, n) => ({ event, at: shuffle[n % shuffle.length]! }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ event }) => event)
      await deliverAll(sorted.slice(0, late_from))
      if (days > 0) await app.client.advanceSandboxClock({ days })
      await deliverAll([...sorted.slice(late_from), ...sorted.filter((_, n) => n % 3 === 0)])
      expect(await figures(mixed)).toEqual(await figures(straight))
    }),
    { numRuns: Number(process.env.CARD_RUNS ?? 30), endOnFailure: true },
  )
  expect((await app.verify()).findings).toEqual([])
  expect(await asOperator(app, readOpenAlerts)).toEqual([])
}, 240_000)

async function toEndOfMonth(): Promise<void> {
  const { business_date } = await app.client.getSandboxClock()
  const today = new Date(business_date)
  const last = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 0))
  const left = last.getUTCDate() - today.getUTCDate()
  if (left > 0) await app.client.advanceSandboxClock({ days: left })
}

async function deliverAll(events: readonly StripeEvent[]): Promise<void> {
  for (const event of events) {
    const { status } = await deliver(app, event)
    expect(status).toBe(200)
    await app.drain()
  }
}
