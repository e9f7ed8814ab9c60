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
  await client.repayNow({ amount: 10_000, base_callback_url: 'https://shop.example/back' })
  await payIn(house, { to: half, amount: 25_000 })
  await payIn(house, { to: half, amount: 777, reference: 'nobody knows' })
  await shareSomething(house, paying.identifier)
  // Not drained: its contract and its payout are still jobs.
  await requestLoan(house, debited, { amount: 10_000 })
  return house
}

/** Data of every kind, and a batch that is still open. */
async function shareSomething(house: TestHouse, identifier: string): Promise<void> {
  const { client } = house
  const about = { identifier, identifier_type: 'siren' as const }
  const day = plusDays(await today(house), -5)
  const at = `${day}T00:00:00Z`
  const accounts = [{ id: 'main', amount: 100, last_updated_at: at }]
  await client.shareAccounts({ ...about, accounts })
  await client.shareTransactions({ ...about, transactions: [{ amount: 100, at }] })
  const buyer = { identifier: 'Tabs\tand \\.', identifier_type: 'name' as const }
  const invoice = { invoice_number: 'F-1', issued_at: at, due_at: at, net_amount: 100 }
  const invoices = [{ ...invoice, direction: 'receivable' as const, seller: about, buyer }]
  await client.shareInvoices({ ...about, invoices })
  const periods = [{ from: day, to: day, amount: 100, count: 1 }]
  await client.shareActivity({ ...about, kind: 'PLATFORM', periods })
  const { id } = await client.createDataBatch({
    ...{ business_identifier: about, context: 'DATA_REFRESH', content: {} },
  })
  await client.shareAccounts({ ...about, batch_id: id, accounts })
}
