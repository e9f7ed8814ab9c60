/** Money counts from its value date, whenever it becomes known. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import type { TestHouse } from '../support/house.ts'
import { type Loan, lend, loanOf, payIn, paymentsOfType, sendBack } from '../support/money.ts'
import { type ReadyBorrower, readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

/** A loan's status, debt, payments and refunds. */
async function figuresOf(house: TestHouse, loan: Loan) {
  const { fees_ongoing, repaid_nominal_at, repaid_amount, paid_interests_amount, status } =
    await loanOf(house, loan.id)
  const refunds = await paymentsOfType(house, loan, 'REFUND')
  const refunded = refunds
    .filter(refund => refund.status !== 'CANCELED')
    .reduce((sum, refund) => sum + refund.amount, 0)
  return { fees_ongoing, repaid_nominal_at, repaid_amount, paid_interests_amount, status, refunded }
}

async function askForLater(house: TestHouse, borrower: ReadyBorrower): Promise<Loan> {
  const asked = await house.client.createLoan({
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
  await house.drain()
  return asked
}

story('a payment before the payout takes effect with it', async ({ house, until }) => {
  const borrower = await readyBorrower(house, 'SCT')
  const part = await askForLater(house, borrower)
  const whole = await askForLater(house, borrower)
  await payIn(house, { to: part, amount: 22_222 })
  await payIn(house, { to: whole, amount: 50_100 })
  expect(await loanOf(house, part.id)).toMatchObject({ status: 'SCHEDULED', repaid_amount: 0 })
  await until('2027-01-13')
  const paid = { status: 'TO_REPAY', repaid_nominal_amount: 22_222, paid_interests_amount: 0 }
  expect(await loanOf(house, part.id)).toMatchObject(paid)
  expect(await paymentsOfType(house, part, 'REFUND')).toEqual([])
  expect(await loanOf(house, whole.id)).toMatchObject({ status: 'CLOSED', repaid_amount: 50_000 })
  expect(await paymentsOfType(house, whole, 'REFUND')).toMatchObject([{ amount: 100 }])
})

story('a payment before a payout that never happens is refunded', async ({ house, until }) => {
  const borrower = await readyBorrower(house, 'SCT')
  const asked = await askForLater(house, borrower)
  await payIn(house, { to: asked, amount: 22_222 })
  await house.client.cancelLoan({ loan_id: asked.id })
  await until('2027-01-12')
  expect(await paymentsOfType(house, asked, 'REFUND')).toMatchObject([
    { status: 'PAID', amount: 22_222 },
  ])
})

story('booked late with an earlier value date: as if booked on time', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house, 'SCT')
  const inTime = await lend(house, borrower, { amount: 100_000, days: 30 })
  const late = await lend(house, borrower, { amount: 100_000, days: 30 })
  await until('2027-01-15')
  await payIn(house, { to: inTime, amount: 40_000 })
  await until('2027-01-20')
  await payIn(house, { to: inTime, amount: 60_000 })
  await payIn(house, { to: late, amount: 60_000 })
  await until('2027-01-22')
  await payIn(house, { to: late, amount: 40_000, value_date: '2027-01-15' })
  const expected = await figuresOf(house, inTime)
  expect(expected).toMatchObject({ fees_ongoing: 350, status: 'TO_REPAY_FEES' })
  expect(await figuresOf(house, late)).toEqual(expected)
})

story('valued before the payout: it counts from the payout', async ({ house, until }) => {
  const borrower = await readyBorrower(house, 'SCT')
  await until('2027-01-13')
  const loan = await lend(house, borrower, { amount: 50_000, days: 10 })
  await until('2027-01-15')
  await payIn(house, { to: loan, amount: 50_000, value_date: '2027-01-12' })
  expect(await loanOf(house, loan.id)).toMatchObject({
    status: 'CLOSED',
    repaid_nominal_at: '2027-01-13T00:00:00Z',
    fees_ongoing: 0,
  })
})

story('the same facts in any order give the same balances', async ({ house, until }) => {
  const facts = [
    { value_date: '2027-01-13', amount: 30_000 },
    { value_date: '2027-01-15', amount: 20_000 },
    { value_date: '2027-01-18', amount: 60_000 },
    { value_date: '2027-01-19', amount: 5_000 },
  ]
  const borrower = await readyBorrower(house, 'SCT')
  const orders = [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [2, 0, 3, 1],
    [1, 3, 0, 2],
  ]
  const [inTime, ...late] = await Promise.all(
    orders.map(async order => ({ order, loan: await lend(house, borrower, { amount: 100_000 }) })),
  )
  for (const { value_date, amount } of facts) {
    await until(value_date)
    await payIn(house, { to: inTime!.loan, amount })
  }
  await until('2027-01-20')
  for (const { order, loan } of late) {
    for (const fact of order) await payIn(house, { to: loan, ...facts[fact]! })
  }
  const expected = await figuresOf(house, inTime!.loan)
  // €1,000 for two days, €700 for two, €500 for three: 245 cents.
  expect(expected).toMatchObject({
    status: 'CLOSED',
    repaid_amount: 100_245,
    repaid_nominal_at: '2027-01-18T00:00:00Z',
    refunded: 14_755,
  })
  for (const { loan } of late) expect(await figuresOf(house, loan)).toEqual(expected)
})

story('so do a debit, an earlier transfer and a return', async ({ house, until }) => {
  const borrower = await readyBorrower(house)
  const first = await lend(house, borrower, { amount: 100_000, days: 3 })
  const second = await lend(house, borrower, { amount: 100_000, days: 3 })
  await until('2027-01-14')
  for (const [loan, transferFirst] of [
    [first, true],
    [second, false],
  ] as const) {
    const [debit] = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
    const transfer = () => payIn(house, { to: loan, amount: 40_000, value_date: '2027-01-12' })
    const comeBack = () => sendBack(house, debit!)
    for (const step of transferFirst ? [transfer, comeBack] : [comeBack, transfer]) await step()
  }
  const expected = await figuresOf(house, first)
  expect(expected).toMatchObject({ status: 'TO_REPAY', repaid_amount: 40_000, refunded: 0 })
  expect(await figuresOf(house, second)).toEqual(expected)
})
