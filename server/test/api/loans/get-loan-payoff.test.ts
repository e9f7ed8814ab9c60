/** A loan's payoff amount on a day, which closes the loan if paid that day. */
import { expect } from 'vitest'
import { calendar } from '../../support/calendar.ts'
import { billsOf, lend, loanOf, payIn, referenceOf } from '../../support/money.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'
import { readyBorrower } from '../../support/story.ts'
import { DAY, requestOf } from './request.ts'

const story = calendar(DAY)

story('today, on a future day and on a past one', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 123_456, days: 45 })
  const payoff = (on?: string) => app.client.getLoanPayoff({ loan_id: loan.id, on })
  expect(await payoff()).toEqual({
    loan_id: loan.id,
    on: '2027-01-15T00:00:00Z',
    currency: 'EUR',
    principal: 123_456,
    interest: 0,
    billed_interest: 0,
    unbilled_interest: 0,
    total: 123_456,
    repayment_to: loan.repayment_to,
    repayment_to_references: [referenceOf(loan)],
  })
  expect(await payoff('2027-03-01')).toMatchObject({ interest: 2_778, total: 126_234 })
  expect(await payoff('2027-02-28T23:00:00Z')).toMatchObject({ on: '2027-03-01T00:00:00Z' })
  await until('2027-01-20')
  expect(await payoff()).toMatchObject({ on: '2027-01-20T00:00:00Z', interest: 309 })
  expect(await payoff('2027-01-16')).toMatchObject({ interest: 62 })
  expect(await faultsOf(payoff('2027-01-14'))).toEqual({ on: 'is before the payout' })
  expect(await faultsOf(payoff('2127-01-14'))).toEqual({ on: 'is too far ahead' })
  expect(Object.keys(await faultsOf(payoff('soon')))).toEqual(['on'])
})

story('paid to the cent it closes the loan, after a bill and partial payments', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-01-20')
  await payIn(app, { to: loan, amount: 25_000 })
  await until('2027-02-02')
  const [bill] = await billsOf(app, borrower)
  await payIn(app, { to: loan, amount: 300, reference: bill!.payment.to_references[0]! })
  // €1,000 for five days and €750 for fifteen, less the €3 paid.
  const payoff = await app.client.getLoanPayoff({ loan_id: loan.id, on: '2027-02-04' })
  expect(payoff).toMatchObject({
    principal: 75_000,
    interest: 250 + 562 - 300,
    // The bill charges 250 and 450 for January. The 112 of February are not billed yet.
    billed_interest: 700 - 300,
    unbilled_interest: 112,
  })
  await until('2027-02-04')
  await payIn(app, { to: loan, amount: payoff.total })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED', repaid_amount: 100_812 })
  const nothing = await app.client.getLoanPayoff({ loan_id: loan.id, on: '2027-02-20' })
  expect(nothing).toMatchObject({ principal: 0, interest: 0, total: 0 })
})

story('interest stops once principal is repaid', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-01-20')
  await payIn(app, { to: loan, amount: 100_000 })
  for (const on of ['2027-01-20', '2027-02-20']) {
    const payoff = await app.client.getLoanPayoff({ loan_id: loan.id, on })
    expect(payoff).toMatchObject({ principal: 0, interest: 250 })
  }
})

story('there is no payoff amount before the payout', async ({ app }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const { id } = await app.client.createLoan(requestOf(borrower, { auto_validate: false }))
  const early = await refusal(app.client.getLoanPayoff({ loan_id: id }))
  expect(early).toMatchObject({ status: 409, code: 'state_conflict' })
  const foreign = await refusal(app.second.getLoanPayoff({ loan_id: id }))
  expect(foreign).toMatchObject({ status: 404, code: 'resource_unknown' })
})
