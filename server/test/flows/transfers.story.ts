/** Loans repaid by transfer. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import {
  billsOf,
  lend,
  lineOf,
  loanOf,
  payIn,
  paymentsOf,
  paymentsOfType,
  referenceOf,
  returnDebit,
  suspenseReasons,
} from '../support/money.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

const story = calendar('2027-01-11')

story('exact: principal on the day, interest with the bill', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  expect(loan).toMatchObject({ repayment_method: 'SCT', repayment_from: null })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 50_000 })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    repaid_nominal_at: '2027-01-21T00:00:00Z',
    fees_ongoing: 250,
  })
  expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 5_000_000 })
  await until('2027-02-03')
  const [bill] = await billsOf(app, borrower)
  expect(bill).toMatchObject({
    status: 'TO_PAY',
    to_pay_amount: 250,
    payment: { payment_method: 'SCT', status: 'SCHEDULED' },
  })
  await payIn(app, { to: loan, amount: 250, reference: bill!.payment.to_references[0]! })
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'PAID', payment: { status: 'PAID', amount: 250 } },
  ])
})

story('the reference is found in free text, in lower case and in groups', async ({ app }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  const grouped = referenceOf(loan)
    .toLowerCase()
    .replace(/(.{4})/g, '$1 ')
  await payIn(app, { to: loan, amount: 20_000, reference: `Remb. pret ${grouped}- merci` })
  await payIn(app, { to: loan, amount: 10_000, reference: `NOTPROVIDED/${referenceOf(loan)}/1` })
  const now = await loanOf(app, loan.id)
  expect(now).toMatchObject({ status: 'TO_REPAY', repaid_nominal_amount: 30_000 })
})

story('early and in parts: interest on the rest, day by day', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 30 })
  await until('2027-01-13')
  await payIn(app, { to: loan, amount: 30_000 })
  await until('2027-01-18')
  await payIn(app, { to: loan, amount: 50_000 })
  expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 4_980_000 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 20_000 })
  // Interest on €1,000 for two days, €700 for five and €200 for three.
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    fees_ongoing: 305,
    repaid_amount: 100_000,
  })
})

story('an overpayment before any bill: accrued interest, then a refund', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 20 })
  await until('2027-01-22')
  await payIn(app, { to: loan, amount: 105_000 })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'CLOSED',
    paid_interests_amount: 550,
    repaid_amount: 100_550,
  })
  const [payment] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(payment?.related_to.loans).toEqual([
    { loan_id: loan.id, payment_type: 'REPAYMENT_NOMINAL', amount: 100_000, deposit_id: null },
    { loan_id: loan.id, payment_type: 'REPAYMENT_FEES', amount: 550, deposit_id: null },
    { loan_id: loan.id, payment_type: 'EXTRA', amount: 4_450, deposit_id: null },
  ])
  // The transfer is booked on Friday the 22nd, so its surplus is refunded on Monday.
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([
    {
      status: 'SCHEDULED',
      amount: 4_450,
      scheduled_at: '2027-01-25T00:00:00Z',
      to_account_details: { account_number: borrower.account_number },
    },
  ])
  await until('2027-01-25')
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([{ status: 'PAID' }])
  await until('2027-02-03')
  // The bill charges interest that is already paid, so nothing is left to pay.
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'PAID', to_pay_amount: 0, lines: [{ amount: 550, days: 11 }] },
  ])
})

story('an overpayment after a bill: billed interest before accrued interest', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-05')
  const [bill] = await billsOf(app, borrower)
  expect(bill).toMatchObject({ status: 'TO_PAY', to_pay_amount: 1_050 })
  // Interest for 21 days is billed, and four more days have accrued.
  await payIn(app, { to: loan, amount: 100_500 })
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'TO_PAY', to_pay_amount: 550, payment: { amount: 550 } },
  ])
  await payIn(app, { to: loan, amount: 600 })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    paid_interests_amount: 1_100,
    fees_ongoing: 1_250,
  })
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'PAID' }])
  expect(await paymentsOfType(app, loan, 'REFUND')).toEqual([])
})

story('a transfer after the principal is repaid pays interest, never principal', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 20 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 100_000 })
  await payIn(app, { to: loan, amount: 200 })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    paid_interests_amount: 200,
  })
  await until('2027-01-26')
  // No interest has accrued since the principal was repaid.
  await payIn(app, { to: loan, amount: 300 })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED', repaid_amount: 100_500 })
  await payIn(app, { to: loan, amount: 77 })
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([{ amount: 77 }])
})

story('an overpaid bill is refunded even while principal is owed', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-05')
  const [bill] = await billsOf(app, borrower)
  await payIn(app, { to: loan, amount: 5_000, reference: bill!.payment.to_references[0]! })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    repaid_nominal_amount: 0,
    paid_interests_amount: 1_050,
  })
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'PAID' }])
  await until('2027-02-08')
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([
    { status: 'PAID', amount: 3_950, paid_at: '2027-02-08T00:00:00Z' },
  ])
})

story('one transfer pays its two target loans, the earliest due first', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const later = await lend(app, borrower, { amount: 40_000, days: 30 })
  const sooner = await lend(app, borrower, { amount: 60_000, days: 20 })
  const other = await lend(app, borrower, { amount: 10_000, days: 10 })
  await until('2027-01-21')
  const reference = `${referenceOf(later)} ${referenceOf(sooner)}`
  await payIn(app, { to: later, amount: 70_000, reference })
  expect(await loanOf(app, sooner.id)).toMatchObject({ status: 'CLOSED', repaid_amount: 60_300 })
  expect(await loanOf(app, later.id)).toMatchObject({ repaid_nominal_amount: 9_700 })
  expect(await loanOf(app, other.id)).toMatchObject({ repaid_amount: 0 })
})

story('by contract number: all open loans, earliest original due date first', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const later = await lend(app, borrower, { amount: 40_000, days: 30 })
  const sooner = await lend(app, borrower, { amount: 60_000, days: 20 })
  const { contract_number } = await lineOf(app, borrower)
  await until('2027-01-21')
  const reference = `contrat ${contract_number!.toLowerCase()}, solde`
  await payIn(app, { to: later, amount: 70_000, reference })
  expect(await loanOf(app, sooner.id)).toMatchObject({ status: 'CLOSED', repaid_amount: 60_300 })
  expect(await loanOf(app, later.id)).toMatchObject({ repaid_nominal_amount: 9_700 })
})

story('a transfer without a known reference: an unmatched payment', async ({ app }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  await payIn(app, { to: loan, amount: 11_111, reference: 'RF18539007547034' })
  await payIn(app, { to: loan, amount: 11_112, reference: null })
  expect(await suspenseReasons(app, 11_111)).toEqual(['no known reference'])
  expect(await suspenseReasons(app, 11_112)).toEqual(['no known reference'])
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_amount: 0 })
})

story('the reference of a declined loan: an unmatched payment', async ({ app }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const refused = await requestLoan(app, borrower, { amount: 6_000_000 })
  await payIn(app, { to: refused, amount: 33_333 })
  expect(await suspenseReasons(app, 33_333)).toEqual([`loan ${refused.id} is DECLINED`])
})

story('paid out and repaid on one day: no interest, closed immediately', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  await payIn(app, { to: loan, amount: 50_000 })
  const closed = await loanOf(app, loan.id)
  expect(closed).toMatchObject({ status: 'CLOSED', fees_ongoing: 0, repaid_amount: 50_000 })
  expect(closed.closed_at).toMatch(/^2027-01-11T/)
  await until('2027-02-03')
  expect(await billsOf(app, borrower)).toEqual([])
})

story('from an unknown account: the surplus is kept, not refunded', async ({ app }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  await payIn(app, { to: loan, amount: 50_500, from_iban: null })
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
  const payments = await paymentsOf(app, loan)
  expect(payments.map(p => p.payment_type)).toEqual(['LOAN_PAYMENT', 'REPAYMENT_NOMINAL'])
  expect(payments[1]?.related_to.loans.at(-1)).toMatchObject({ payment_type: 'EXTRA', amount: 500 })
})

story('one transfer for a bill and a loan: the bill first, never more than it asks', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-05')
  const [bill] = await billsOf(app, borrower)
  const reference = `${referenceOf(loan)}, ${bill!.payment.to_references[0]}`
  await payIn(app, { to: loan, amount: 31_050, reference })
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'PAID' }])
  expect(await loanOf(app, loan.id)).toMatchObject({
    repaid_nominal_amount: 30_000,
    paid_interests_amount: 1_050,
  })
  // The text contains the paid bill's reference again, but everything goes to the loan.
  await payIn(app, { to: loan, amount: 10_000, reference })
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_nominal_amount: 40_000 })
})

story('a bill paid twice: the second payment is refunded', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-05')
  const [bill] = await billsOf(app, borrower)
  const reference = bill!.payment.to_references[0]!
  await payIn(app, { to: loan, amount: 1_050, reference })
  await payIn(app, { to: loan, amount: 1_050, reference })
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_amount: 1_050, status: 'TO_REPAY' })
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([{ amount: 1_050 }])
})

story('a text with references to loans of two partners: an unmatched payment', async ({ app }) => {
  const ours = await lend(app, await readyBorrower(app, 'SCT'), { amount: 50_000 })
  const other = { ...app, client: app.second }
  const theirs = await lend(other, await readyBorrower(other, 'SCT'), { amount: 50_000 })
  const reference = `${referenceOf(ours)} ${referenceOf(theirs)}`
  await payIn(app, { to: ours, amount: 44_444, reference })
  expect(await suspenseReasons(app, 44_444)).toEqual(['names loans of several partners'])
})

story('a refund that fails or is returned is not sent again automatically', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const failing = await app.client.generateSandboxIban({ scenario: 'FAIL' })
  const failed = await lend(app, borrower, { amount: 50_000 })
  await payIn(app, { to: failed, amount: 50_900, from_iban: failing.iban })
  const returned = await lend(app, borrower, { amount: 50_000 })
  await payIn(app, { to: returned, amount: 50_900 })
  await until('2027-01-13')
  expect(await paymentsOfType(app, failed, 'REFUND')).toMatchObject([{ status: 'FAILED' }])
  const [refund] = await paymentsOfType(app, returned, 'REFUND')
  await returnDebit(app, refund!)
  expect(await paymentsOfType(app, returned, 'RETURNED')).toMatchObject([{ amount: 900 }])
  // A later overpayment is refunded on its own. The failed refund's amount is not added.
  for (const loan of [failed, returned]) await payIn(app, { to: loan, amount: 11 })
  for (const loan of [failed, returned]) {
    const refunds = await paymentsOfType(app, loan, 'REFUND')
    expect(refunds.map(r => r.amount)).toEqual([900, 11])
    expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
  }
})
