/** The cash-flow forecast, compared with what then happens. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { lend, payIn, paymentsOfType, returnDebit } from '../support/money.ts'
import { reportOf } from '../support/reports.ts'
import { plusDays, readyBorrower, today } from '../support/story.ts'

const story = calendar('2027-02-01')

story('the forecast matches the actual amounts to the cent', async ({ app, until }) => {
  const { client } = app
  const debited = await readyBorrower(app)
  const paying = await readyBorrower(app, 'SCT')
  const loan = await lend(app, debited, { amount: 100_000, days: 10 })
  const other = await lend(app, paying, { amount: 50_000, days: 25 })
  const day = await today(app)
  await client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: 30_000,
    salt_id: 'ahead',
    borrower: { identifier: debited.identifier },
    loan_to: { account_number: debited.account_number },
    to_pay_at: plusDays(day, 3),
    to_repay_at: plusDays(day, 21),
    auto_validate: true,
  })
  await app.drain()
  const to = plusDays(day, 28)
  const { rows, differs } = await reportOf(app, 'cash-flow', { to })
  expect(differs).toEqual([])
  const of = (kind: string) => rows.filter(row => row.kind === kind)
  const due = loan.to_repay_at.slice(0, 10)
  expect(of('payouts')).toMatchObject([{ period: plusDays(day, 3), outflow: 30_000 }])
  expect(of('principal')).toMatchObject([
    { period: due, inflow: 100_000 },
    { period: other.to_repay_at.slice(0, 10), inflow: 50_000 },
  ])
  const ahead = [{ period: plusDays(day, 21), inflow: 30_000 }]
  expect(of('principal_ahead')).toMatchObject(ahead)
  // The debit is returned and the transfer does not arrive, so both loans are overdue.
  await until(plusDays(due, 1))
  const cashThen = rows.filter(row => row.kind === 'all' && row.period! <= due).at(-1)!.cash
  const books = await reportOf(app, 'trial-balance')
  expect(books.rows.find(row => row.account === 'bank_cash')!.balance).toBe(cashThen)
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await returnDebit(app, debit!)
  await until(plusDays(other.to_repay_at.slice(0, 10), 6))
  const later = await reportOf(app, 'cash-flow', { to: plusDays(to, 30), per: 'week' })
  expect(later.differs).toEqual([])
  const overdue = later.rows.filter(row => row.period === 'overdue' && row.kind === 'principal')
  expect(overdue).toMatchObject([{ inflow: 150_000, cash: null }])
  expect(later.rows.filter(row => row.kind === 'bills')).not.toEqual([])
  await payIn(app, { to: other, amount: 51_000 })
  expect((await reportOf(app, 'cash-flow')).differs).toEqual([])
})
