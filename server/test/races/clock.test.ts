/** When several callers move the clock, every day runs once, and no caller waits forever. */
import { expect, test } from 'vitest'
import { plusDays, readyBorrower, requestLoan, today } from '../support/story.ts'
import { atOnce, expectVerifiedBooks, startTwoServers } from './two-servers.ts'

test('two concurrent callers both reach their day, and each day runs once', async () => {
  const { app, client } = await startTwoServers()
  const borrower = await readyBorrower(app)
  await requestLoan(app, borrower, { amount: 100_000, days: 10 })
  const first = await today(app)
  const { answers, refusals } = await atOnce(2, turn =>
    client(turn).advanceSandboxClock({ days: 40 }),
  )
  expect(refusals).toEqual([])
  const last = await today(app)
  const ends = answers.map(answer => answer.business_date.slice(0, 10)).sort()
  expect(ends.at(-1)).toBe(last)
  expect(ends[0]! >= plusDays(first, 40)).toBe(true)

  const { rows } = await app.context.database.pool.query(
    'select business_date::text as day from business_days order by 1',
  )
  const span = (Date.parse(last) - Date.parse(first)) / 86_400_000
  const days = Array.from({ length: span + 1 }, (_, number) => plusDays(first, number))
  expect(rows.map(row => row.day)).toEqual(days)
  const bills = await app.client.listBills({})
  const periods = bills.data.map(bill => bill.start_date)
  expect(new Set(periods).size).toBe(periods.length)
  await expectVerifiedBooks(app)
})

test('more callers than connections: all are answered', async () => {
  const { app, client } = await startTwoServers()
  const first = await today(app)
  const { answers, refusals } = await atOnce(30, turn =>
    client(turn).advanceSandboxClock({ days: 1 }),
  )
  expect(refusals).toEqual([])
  expect(answers).toHaveLength(30)
  expect((await today(app)) >= plusDays(first, 1)).toBe(true)
})
