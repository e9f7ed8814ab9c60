/** Collections returned after settlement. */
import { expect } from 'vitest'
import { day } from '../../src/platform/kit/dates.ts'
import { calendar } from '../support/calendar.ts'
import {
  billsOf,
  instructionOf,
  lend,
  lineOf,
  loanOf,
  payIn,
  paymentsOf,
  paymentsOfType,
  receiveNews,
  returnDebit,
  suspenseReasons,
} from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

story('the loan reopens as if the collection had never happened', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-01-21')
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await until('2027-01-25')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES', fees_ongoing: 500 })
  await returnDebit(app, debit!, { reason_code: 'AM04' })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    repaid_nominal_amount: 0,
    repaid_nominal_at: null,
    // Interest for fourteen days, including those since the debit.
    fees_ongoing: 700,
  })
  expect(await paymentsOfType(app, loan, 'CHARGEBACK')).toMatchObject([
    {
      status: 'PAID',
      amount: 100_000,
      charged_back_payment_id: debit!.id,
      failure_reason: 'AM04',
      paid_at: '2027-01-25T00:00:00Z',
    },
  ])
  const [still] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(still).toMatchObject({ id: debit!.id, status: 'PAID' })
  expect(await lineOf(app, borrower)).toMatchObject({
    balance_available: 4_900_000,
    balance_pending: 0,
  })
  const { data: log } = await app.client.listEvents({ loan_id: [loan.id] })
  const chargeback = log.find(entry => entry.event_type === 'LOAN_REPAYMENT_NOMINAL_CHARGED_BACK')
  expect(chargeback).toMatchObject({ event_payload: { principal_amount: 100_000 } })
  // A returned debit is not presented again automatically, so the borrower pays by transfer.
  await until('2027-01-28')
  expect(await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).toHaveLength(1)
  await payIn(app, { to: loan, amount: 100_000 })
  await until('2027-02-03')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED', repaid_amount: 100_850 })
})

story('a closed loan reopens too, and the next bill charges the rest', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 16 })
  await until('2027-01-27')
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await until('2027-02-03')
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
  await returnDebit(app, debit!)
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    closed_at: null,
    paid_interests_amount: 800,
    fees_ongoing: 1_150,
  })
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'PAID', to_pay_amount: 800 }])
  await until('2027-02-05')
  await payIn(app, { to: loan, amount: 100_000 })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    fees_ongoing: 1_250,
  })
  await until('2027-03-03')
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'PAID', to_pay_amount: 800 },
    { status: 'PAID', to_pay_amount: 450 },
  ])
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
})

story("a bill's debit is returned: the bill and its fees are owed again", async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-02-03')
  const [bill] = await billsOf(app, borrower)
  expect(bill?.status).toBe('PAID')
  await returnDebit(app, bill!.payment)
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'TO_PAY', to_pay_amount: 500 }])
  const [back] = await paymentsOfType(app, loan, 'CHARGEBACK')
  expect(back).toMatchObject({
    charged_back_payment_id: bill!.payment.id,
    amount: 500,
    related_to: {
      bills: [{ bill_id: bill!.id, amount: 500 }],
      loans: [{ loan_id: loan.id, amount: 500, payment_type: 'CHARGEBACK' }],
    },
  })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    paid_interests_amount: 0,
    repaid_nominal_amount: 100_000,
  })
  const { data: log } = await app.client.listEvents({ loan_id: [loan.id] })
  expect(log[0]).toMatchObject({
    event_type: 'LOAN_REPAYMENT_FEES_CHARGED_BACK',
    event_payload: { fees_amount: 500, principal_amount: null },
  })
  // The unpaid interest bears no interest.
  await until('2027-03-01')
  expect(await loanOf(app, loan.id)).toMatchObject({ fees_ongoing: 500 })
  expect(await billsOf(app, borrower)).toHaveLength(1)
  const [again] = await billsOf(app, borrower)
  await payIn(app, { to: loan, amount: 500, reference: again!.payment.to_references[0]! })
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'PAID' }])
})

story('a return that the bank reports twice is unmatched the second time', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 123_400, days: 3 })
  await until('2027-01-14')
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await returnDebit(app, debit!)
  const owed = { status: 'TO_REPAY', repaid_amount: 0, fees_ongoing: 185 }
  expect(await loanOf(app, loan.id)).toMatchObject(owed)
  const news = { payment_id: debit!.id, value_on: day('2027-01-14'), reason_code: 'AM04' }
  await receiveNews(app, { ...news, kind: 'RETURNED', amount: 123_400n })
  expect(await suspenseReasons(app, 123_400)).toEqual(['it had come back before'])
  await receiveNews(app, { ...news, kind: 'RETURNED', amount: 123_401n })
  expect(await suspenseReasons(app, 123_401)).toEqual(['another amount'])
  const nothing = '01900000-0000-7000-8000-00000000dead'
  await receiveNews(app, { ...news, payment_id: nothing, kind: 'RETURNED', amount: 123_402n })
  expect(await suspenseReasons(app, 123_402)).toEqual(['no such payment'])
  expect(await loanOf(app, loan.id)).toMatchObject(owed)
  expect(await paymentsOfType(app, loan, 'CHARGEBACK')).toHaveLength(1)
})

story('a return before the surplus was refunded: nothing is refunded', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 3 })
  await until('2027-01-14')
  await payIn(app, { to: loan, amount: 100_000, value_date: '2027-01-13' })
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  const [refund] = await paymentsOfType(app, loan, 'REFUND')
  expect(refund).toMatchObject({ status: 'SCHEDULED', amount: 99_900 })
  await returnDebit(app, debit!)
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES', fees_ongoing: 100 })
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([{ status: 'CANCELED' }])
  await until('2027-01-25')
  expect(await paymentsOfType(app, loan, 'REFUND')).toHaveLength(1)
})

story('the repayment is returned before another payer is refunded', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 3 })
  await until('2027-01-14')
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await payIn(app, { to: loan, amount: 100_000 })
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([{ amount: 99_850 }])
  await returnDebit(app, debit!)
  // Without the debit the transfer repays the loan, so it leaves no surplus.
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_nominal_amount: 100_000 })
  await until('2027-01-25')
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([{ status: 'CANCELED' }])
})

story('a debit is refunded to the debtor after its credit was drawn again', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 5_000_000, days: 3 })
  await until('2027-01-22')
  await lend(app, borrower, { amount: 5_000_000, days: 40 })
  expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 0 })
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  const { id } = await instructionOf(app, debit!)
  await app.client.refundSandboxInstruction({ instruction_id: id, reason_code: 'MD06' })
  await app.drain()
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY' })
  // The limit is exceeded, so available credit is shown as zero.
  expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 0 })
  const types = (await paymentsOf(app, loan)).map(p => p.payment_type)
  expect(types).toEqual(['LOAN_PAYMENT', 'REPAYMENT_NOMINAL', 'CHARGEBACK'])
})
