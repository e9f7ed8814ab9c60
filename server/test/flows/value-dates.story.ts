/** Payments count from their value date, even if they are reported later. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import {
  expectLogAddsUp,
  type Loan,
  lend,
  loanOf,
  payIn,
  paymentsOfType,
  returnDebit,
} from '../support/money.ts'
import { type ReadyBorrower, readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

/** A loan's figures and refunds, after checking that its log matches them. */
async function figuresOf(app: TestApp, loan: Loan) {
  const { fees_ongoing, repaid_nominal_at, repaid_amount, paid_interests_amount, status } =
    await loanOf(app, loan.id)
  const refunds = await paymentsOfType(app, loan, 'REFUND')
  const refunded = refunds
    .filter(refund => refund.status !== 'CANCELED')
    .reduce((sum, refund) => sum + refund.amount, 0)
  await expectLogAddsUp(app, loan)
  return { fees_ongoing, repaid_nominal_at, repaid_amount, paid_interests_amount, status, refunded }
}

async function askForLater(app: TestApp, borrower: ReadyBorrower): Promise<Loan> {
  const requested = await app.client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: 50_000,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: '2027-01-13',
    to_repay_at: '2027-01-20',
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
  })
  await app.drain()
  return requested
}

story('a payment before the payout takes effect with it', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const part = await askForLater(app, borrower)
  const whole = await askForLater(app, borrower)
  await payIn(app, { to: part, amount: 22_222 })
  await payIn(app, { to: whole, amount: 50_100 })
  expect(await loanOf(app, part.id)).toMatchObject({ status: 'SCHEDULED', repaid_amount: 0 })
  await until('2027-01-13')
  const paid = { status: 'TO_REPAY', repaid_nominal_amount: 22_222, paid_interests_amount: 0 }
  expect(await loanOf(app, part.id)).toMatchObject(paid)
  expect(await paymentsOfType(app, part, 'REFUND')).toEqual([])
  expect(await loanOf(app, whole.id)).toMatchObject({ status: 'CLOSED', repaid_amount: 50_000 })
  expect(await paymentsOfType(app, whole, 'REFUND')).toMatchObject([{ amount: 100 }])
  for (const loan of [part, whole]) await expectLogAddsUp(app, loan)
})

story('a payment before a payout that never happens is refunded', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const requested = await askForLater(app, borrower)
  await payIn(app, { to: requested, amount: 22_222 })
  await app.client.cancelLoan({ loan_id: requested.id })
  await until('2027-01-12')
  expect(await paymentsOfType(app, requested, 'REFUND')).toMatchObject([
    { status: 'PAID', amount: 22_222 },
  ])
})

story('booked late with an earlier value date: as if booked on time', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const inTime = await lend(app, borrower, { amount: 100_000, days: 30 })
  const late = await lend(app, borrower, { amount: 100_000, days: 30 })
  await until('2027-01-15')
  await payIn(app, { to: inTime, amount: 40_000 })
  await until('2027-01-20')
  await payIn(app, { to: inTime, amount: 60_000 })
  await payIn(app, { to: late, amount: 60_000 })
  await until('2027-01-22')
  await payIn(app, { to: late, amount: 40_000, value_date: '2027-01-15' })
  const expected = await figuresOf(app, inTime)
  expect(expected).toMatchObject({ fees_ongoing: 350, status: 'TO_REPAY_FEES' })
  expect(await figuresOf(app, late)).toEqual(expected)
})

story('interest lowered by an earlier value date is lowered in the log too', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 30 })
  await until('2027-01-20')
  await payIn(app, { to: loan, amount: 100_450 })
  expect(await figuresOf(app, loan)).toMatchObject({ paid_interests_amount: 450 })
  await payIn(app, { to: loan, amount: 50_000, value_date: '2027-01-13' })
  // Interest for two days on €1,000 and for seven on €500.
  expect(await figuresOf(app, loan)).toMatchObject({ paid_interests_amount: 275 })
})

story('valued before the payout: it counts from the payout', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  await until('2027-01-13')
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  await until('2027-01-15')
  await payIn(app, { to: loan, amount: 50_000, value_date: '2027-01-12' })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'CLOSED',
    repaid_nominal_at: '2027-01-13T00:00:00Z',
    fees_ongoing: 0,
  })
})

story('the same facts in any order give the same balances', async ({ app, until }) => {
  const facts = [
    { value_date: '2027-01-13', amount: 30_000 },
    { value_date: '2027-01-15', amount: 20_000 },
    { value_date: '2027-01-18', amount: 60_000 },
    { value_date: '2027-01-19', amount: 5_000 },
  ]
  const borrower = await readyBorrower(app, 'SCT')
  const orders = [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [2, 0, 3, 1],
    [1, 3, 0, 2],
  ]
  const [inTime, ...late] = await Promise.all(
    orders.map(async order => ({ order, loan: await lend(app, borrower, { amount: 100_000 }) })),
  )
  for (const { value_date, amount } of facts) {
    await until(value_date)
    await payIn(app, { to: inTime!.loan, amount })
  }
  await until('2027-01-20')
  for (const { order, loan } of late) {
    for (const fact of order) await payIn(app, { to: loan, ...facts[fact]! })
  }
  const expected = await figuresOf(app, inTime!.loan)
  // Interest is 245: on €1,000 for two days, €700 for two and €500 for three.
  expect(expected).toMatchObject({
    status: 'CLOSED',
    repaid_amount: 100_245,
    repaid_nominal_at: '2027-01-18T00:00:00Z',
    refunded: 14_755,
  })
  for (const { loan } of late) expect(await figuresOf(app, loan)).toEqual(expected)
})

story('a return before or after a transfer gives the same balances', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const first = await lend(app, borrower, { amount: 100_000, days: 3 })
  const second = await lend(app, borrower, { amount: 100_000, days: 3 })
  await until('2027-01-14')
  for (const [loan, transferFirst] of [
    [first, true],
    [second, false],
  ] as const) {
    const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    const transfer = () => payIn(app, { to: loan, amount: 40_000, value_date: '2027-01-12' })
    const comeBack = () => returnDebit(app, debit!)
    for (const step of transferFirst ? [transfer, comeBack] : [comeBack, transfer]) await step()
  }
  const expected = await figuresOf(app, first)
  expect(expected).toMatchObject({ status: 'TO_REPAY', repaid_amount: 40_000, refunded: 0 })
  expect(await figuresOf(app, second)).toEqual(expected)
})
