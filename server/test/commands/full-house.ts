/** A house in which something of everything has happened, and something still waits. */
import { type TestHouse, testHouse } from '../support/house.ts'
import { lend, payIn } from '../support/money.ts'
import { plusDays, readyBorrower, requestLoan, today } from '../support/story.ts'

/** One loan closed with its bills, one half repaid, one waiting with its jobs, stray money. */
export async function fullHouse(): Promise<TestHouse> {
  const house = await testHouse({ work: false })
  const { client } = house
  await client.createWebhook({
    name: 'Tabs\tand\nlines \\.',
    to_url: 'http://127.0.0.1:9/nobody',
    event_types: ['Loan.TO_REPAY', 'Loan.CLOSED'],
  })
  const debited = await readyBorrower(house)
  const paying = await readyBorrower(house, 'SCT')
  await lend(house, debited, { amount: 123_456, days: 10 })
  const half = await lend(house, paying, { amount: 50_000, days: 30 })
  await client.advanceSandboxClock({ to: plusDays(await today(house), 65) })
  await payIn(house, { to: half, amount: 25_000 })
  await payIn(house, { to: half, amount: 777, reference: 'nobody knows' })
  // Not drained: its contract and its payout are still jobs.
  await requestLoan(house, debited, { amount: 10_000 })
  return house
}
