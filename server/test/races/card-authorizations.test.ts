/** Concurrent card authorizations on one line never exceed it, and almost all answer in time. */
import { beforeAll, expect, test } from 'vitest'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { activeCard, authorize, balanceOf } from '../support/cards.ts'
import { lineOf } from '../support/money.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ connections: POOL_MAX })
})

const POOL = 5_000_000

test('500 at once, with loans among them, never exceed the line', async () => {
  const borrower = await readyBorrower(app)
  const cards = [await activeCard(app, borrower), await activeCard(app, borrower)]
  const amount = 37_000
  const [verdicts, loans] = await Promise.all([
    Promise.all(Array.from({ length: 500 }, (_, n) => authorize(app, cards[n % 2]!, amount))),
    Promise.all(Array.from({ length: 5 }, () => requestLoan(app, borrower, { amount }))),
  ])
  const approved = verdicts.filter(v => v.approved).length
  const lent = loans.filter(loan => loan.denial_reason === null).length
  expect(approved + lent).toBe(Math.floor(POOL / amount))
  const reasons = new Set(verdicts.filter(v => !v.approved).map(v => v.reason))
  expect([...reasons]).toEqual(['insufficient_headroom'])
  expect((await balanceOf(app, cards[0]!)).pending).toBe(approved * amount)
  expect((await lineOf(app, borrower)).balance_available).toBe(POOL % amount)
  const entries = await Promise.all(
    cards.map(card => app.client.listCardEntries({ card_id: card.id })),
  )
  expect(entries.flat()).toHaveLength(500)
  expect((await app.verify()).findings).toEqual([])
})

test("under steady load 99 of 100 are answered before the processor's timeout", async () => {
  const cards: Awaited<ReturnType<typeof activeCard>>[] = []
  for (let n = 0; n < 4; n++) cards.push(await activeCard(app))
  const took: number[] = []
  const LANES = 8
  const lane = async (at: number) => {
    for (let n = 0; n < 60; n++) {
      const started = performance.now()
      await authorize(app, cards[at % cards.length]!, 100)
      took.push(performance.now() - started)
    }
  }
  // Warms up plans and caches before measuring.
  await Promise.all(cards.map(card => authorize(app, card, 100)))
  await Promise.all(Array.from({ length: LANES }, (_, at) => lane(at)))
  const p99 = took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)]!
  // The default is the processor's timeout. The goal on a dedicated machine is 100 ms.
  expect(p99, `p99 is ${p99.toFixed(1)} ms`).toBeLessThan(Number(process.env.P99_MS_MAX ?? 2_000))
})
