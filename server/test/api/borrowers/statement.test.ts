/** GET /borrower/{id}/statement: it runs from balance to balance and agrees with the books. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import { transaction } from '../../../src/db/transaction.ts'
import { calendar } from '../../support/calendar.ts'
import { lend, payIn } from '../../support/money.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { readyBorrower } from '../../support/story.ts'

const story = calendar('2027-01-15')

story('two loans, a bill, and money too much', async ({ house, until }) => {
  const borrower = await readyBorrower(house, 'SCT')
  const borrower_id = borrower.id
  const first = await lend(house, borrower, { amount: 50_000, days: 20 })
  await lend(house, borrower, { amount: 30_000, days: 40 })
  await until('2027-01-25')
  await payIn(house, { to: first, amount: 60_000 })
  await until('2027-02-08')
  const read = (from: string, to: string) =>
    house.client.getBorrowerStatement({ borrower_id, from, to })
  const all = await read('2027-01-01', '2027-02-28')
  expect(all.opening_balance).toBe(0)
  expect(all.movements.map(m => [m.value_date.slice(0, 10), m.kind, m.amount])).toEqual([
    ['2027-01-15', 'payout', 50_000],
    ['2027-01-15', 'payout', 30_000],
    // 250 of interest were due and paid; 9,750 are to be given back.
    ['2027-01-25', 'repayment', -59_750],
    ['2027-01-26', 'refund', 9_750],
    ['2027-01-31', 'bill', 255],
  ])
  expect(all.movements.at(-1)!.balance).toBe(all.closing_balance)
  expect(all.closing_balance).toBe(30_255)
  expect(all.bills.map(b => [b.amount, b.end_date])).toEqual([[505, '2027-01-31T00:00:00Z']])
  const { owed } = await transaction(house.context.database, { partners: '*' }, tx =>
    tx.one(sql<{ owed: bigint }>`
      select sum(b.amount)::bigint as owed from ledger_balances b
      join ledger_accounts a on a.id = b.account_id join loans l on l.id = a.owner_id
      where l.borrower_id = ${borrower_id} and a.code in
        ('loan_principal', 'interest_accrued', 'interest_billed', 'refunds_payable')`),
  )
  expect(Number(owed)).toBe(all.closing_balance)
  const [early, late] = [
    await read('2027-01-01', '2027-01-25'),
    await read('2027-01-26', '2027-02-28'),
  ]
  expect(late.opening_balance).toBe(early.closing_balance)
  expect([...early.movements, ...late.movements]).toEqual(all.movements)
  const pdf = await fetch(
    `${house.base_url}/borrower/${borrower_id}/statement?from=2027-01-01&to=2027-02-28&format=pdf`,
    { headers: { authorization: `Bearer ${house.key}` } },
  )
  expect(pdf.headers.get('content-type')).toBe('application/pdf')
  expect((await pdf.text()).slice(0, 5)).toBe('%PDF-')
})

story('nothing yet, wrong days, and not yours', async ({ house }) => {
  const { id: borrower_id } = await readyBorrower(house)
  const days = { from: '2027-01-01', to: '2027-01-31' }
  expect(await house.client.getBorrowerStatement({ borrower_id, ...days })).toMatchObject({
    ...{ opening_balance: 0, closing_balance: 0, movements: [], bills: [] },
  })
  const turned = house.client.getBorrowerStatement({ borrower_id, from: days.to, to: days.from })
  expect(await faultsOf(turned)).toEqual({ to: 'is before from' })
  expect(await refusal(house.second.getBorrowerStatement({ borrower_id, ...days }))).toMatchObject({
    ...{ status: 404, code: 'resource_unknown' },
  })
})
