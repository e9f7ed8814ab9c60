/** GET /borrower/{id}/statement: it runs from balance to balance and agrees with the books. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import { transaction } from '../../../src/db/transaction.ts'
import { calendar } from '../../support/calendar.ts'
import type { TestHouse } from '../../support/house.ts'
import { lend, payIn, paymentsOfType, sendBack } from '../../support/money.ts'
import { agree, asSecond } from '../../support/partner-terms.ts'
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
    // 250 of interest came due and were paid; 9,750 are to be given back.
    ['2027-01-25', 'interest', 250],
    ['2027-01-25', 'repayment', -60_000],
    ['2027-01-26', 'refund', 9_750],
    ['2027-01-31', 'bill', 255],
  ])
  expect(all.movements[3]).toMatchObject({ principal: -50_000, interest: -250, refund: 9_750 })
  let balance = 0
  for (const row of all.movements) {
    balance += row.amount
    expect(row.balance).toBe(balance)
    expect(row.amount).toBe(row.principal + row.interest - row.refund)
  }
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

story('a returned debit, a backdated transfer, and fees that another pays', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 100_000, days: 10 })
  const partner = await asSecond(house)
  await agree(partner, { fees_mode: 'TRANSFERRED' })
  const free = await readyBorrower(partner, 'SCT')
  const borne = await lend(partner, free, { amount: 40_000, days: 10 })
  await until('2027-01-25')
  await payIn(partner, { to: borne, amount: 40_000 })
  const [debit] = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  await sendBack(house, debit!)
  await payIn(house, { to: loan, amount: 100_300, value_date: '2027-01-21' })
  await until('2027-02-02')
  const [bill] = (await partner.client.listBills({ business_id: [partner.partner_id] })).data
  const reference = bill!.payment.to_references[0]!
  // Too much by a euro: what goes back is the partner's, and no business of the borrower.
  await payIn(partner, { to: borne, amount: bill!.to_pay_amount + 100, reference })
  await until('2027-02-08')
  const days = { from: '2027-01-01', to: '2027-02-28' }
  const rows = async ({ client }: TestHouse, borrower_id: string) => {
    const told = await client.getBorrowerStatement({ borrower_id, ...days })
    return told.movements.map(m => [m.value_date.slice(5, 10), m.kind, m.amount])
  }
  expect(await rows(partner, free.id)).toEqual([
    ['01-15', 'payout', 40_000],
    ['01-25', 'repayment', -40_000],
  ])
  expect(await rows(house, borrower.id)).toEqual([
    ['01-15', 'payout', 100_000],
    ['01-21', 'interest', 300],
    ['01-21', 'repayment', -100_300],
    ['01-25', 'interest', 500],
    ['01-25', 'repayment', -100_000],
    ['01-25', 'interest', -500],
    ['01-25', 'repayment_returned', 100_000],
  ])
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
