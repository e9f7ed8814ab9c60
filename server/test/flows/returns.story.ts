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
  sendBack,
  suspended,
  tellOfBank,
} from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

story('the loan reopens as if the collection had never happened', async ({ house, until }) => {
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 100_000, days: 10 })
  await until('2027-01-21')
  const [debit] = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  await until('2027-01-25')
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES', fees_ongoing: 500 })
  await sendBack(house, debit!, { reason_code: 'AM04' })
  expect(await loanOf(house, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    repaid_nominal_amount: 0,
    repaid_nominal_at: null,
    // Fourteen days, including those since the collection.
    fees_ongoing: 700,
  })
  expect(await paymentsOfType(house, loan, 'CHARGEBACK')).toMatchObject([
    {
      status: 'PAID',
      amount: 100_000,
      charged_back_payment_id: debit!.id,
      failure_reason: 'AM04',
      paid_at: '2027-01-25T00:00:00Z',
    },
  ])
  const [still] = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  expect(still).toMatchObject({ id: debit!.id, status: 'PAID' })
  expect(await lineOf(house, borrower)).toMatchObject({
    balance_available: 4_900_000,
    balance_pending: 0,
  })
  const { data: log } = await house.client.listEvents({ loan_id: [loan.id] })
  const chargeback = log.find(entry => entry.event_type === 'LOAN_REPAYMENT_NOMINAL_CHARGED_BACK')
  expect(chargeback).toMatchObject({ event_payload: { principal_amount: 100_000 } })
  // A failed debit is not presented again automatically; a transfer pays.
  await until('2027-01-28')
  expect(await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')).toHaveLength(1)
  await payIn(house, { to: loan, amount: 100_000 })
  await until('2027-02-03')
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'CLOSED', repaid_amount: 100_850 })
})

story('a closed loan reopens too, and the next bill charges the rest', async ({ house, until }) => {
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 100_000, days: 16 })
  await until('2027-01-27')
  const [debit] = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  await until('2027-02-03')
  expect((await loanOf(house, loan.id)).status).toBe('CLOSED')
  await sendBack(house, debit!)
  expect(await loanOf(house, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    closed_at: null,
    paid_interests_amount: 800,
    fees_ongoing: 1_150,
  })
  expect(await billsOf(house, borrower)).toMatchObject([{ status: 'PAID', to_pay_amount: 800 }])
  await until('2027-02-05')
  await payIn(house, { to: loan, amount: 100_000 })
  expect(await loanOf(house, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    fees_ongoing: 1_250,
  })
  await until('2027-03-03')
  expect(await billsOf(house, borrower)).toMatchObject([
    { status: 'PAID', to_pay_amount: 800 },
    { status: 'PAID', to_pay_amount: 450 },
  ])
  expect((await loanOf(house, loan.id)).status).toBe('CLOSED')
})

story("a bill's debit is returned: the bill and its fees are owed again", async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 100_000, days: 10 })
  await until('2027-02-03')
  const [bill] = await billsOf(house, borrower)
  expect(bill?.status).toBe('PAID')
  await sendBack(house, bill!.payment)
  expect(await billsOf(house, borrower)).toMatchObject([{ status: 'TO_PAY', to_pay_amount: 500 }])
  const [back] = await paymentsOfType(house, loan, 'CHARGEBACK')
  expect(back).toMatchObject({
    charged_back_payment_id: bill!.payment.id,
    amount: 500,
    related_to: {
      bills: [{ bill_id: bill!.id, amount: 500 }],
      loans: [{ loan_id: loan.id, amount: 500, payment_type: 'CHARGEBACK' }],
    },
  })
  expect(await loanOf(house, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    paid_interests_amount: 0,
    repaid_nominal_amount: 100_000,
  })
  const { data: log } = await house.client.listEvents({ loan_id: [loan.id] })
  expect(log[0]).toMatchObject({
    event_type: 'LOAN_REPAYMENT_FEES_CHARGED_BACK',
    event_payload: { fees_amount: 500, principal_amount: null },
  })
  // There is no interest on interest.
  await until('2027-03-01')
  expect(await loanOf(house, loan.id)).toMatchObject({ fees_ongoing: 500 })
  expect(await billsOf(house, borrower)).toHaveLength(1)
  const [again] = await billsOf(house, borrower)
  await payIn(house, { to: loan, amount: 500, reference: again!.payment.to_references[0]! })
  expect((await loanOf(house, loan.id)).status).toBe('CLOSED')
  expect(await billsOf(house, borrower)).toMatchObject([{ status: 'PAID' }])
})

story('the bank reports a return twice: the second one goes to suspense', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 123_400, days: 3 })
  await until('2027-01-14')
  const [debit] = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  await sendBack(house, debit!)
  const owed = { status: 'TO_REPAY', repaid_amount: 0, fees_ongoing: 185 }
  expect(await loanOf(house, loan.id)).toMatchObject(owed)
  const news = { payment_id: debit!.id, value_on: day('2027-01-14'), reason_code: 'AM04' }
  await tellOfBank(house, { ...news, kind: 'RETURNED', amount: 123_400n })
  expect(await suspended(house, 123_400)).toEqual(['it had come back before'])
  await tellOfBank(house, { ...news, kind: 'RETURNED', amount: 123_401n })
  expect(await suspended(house, 123_401)).toEqual(['another amount'])
  const nothing = '01900000-0000-7000-8000-00000000dead'
  await tellOfBank(house, { ...news, payment_id: nothing, kind: 'RETURNED', amount: 123_402n })
  expect(await suspended(house, 123_402)).toEqual(['no such payment'])
  expect(await loanOf(house, loan.id)).toMatchObject(owed)
  expect(await paymentsOfType(house, loan, 'CHARGEBACK')).toHaveLength(1)
})

story('a return before the surplus was refunded: nothing is refunded', async ({ house, until }) => {
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 100_000, days: 3 })
  await until('2027-01-14')
  await payIn(house, { to: loan, amount: 100_000, value_date: '2027-01-13' })
  const [debit] = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  const [refund] = await paymentsOfType(house, loan, 'REFUND')
  expect(refund).toMatchObject({ status: 'SCHEDULED', amount: 99_900 })
  await sendBack(house, debit!)
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES', fees_ongoing: 100 })
  expect(await paymentsOfType(house, loan, 'REFUND')).toMatchObject([{ status: 'CANCELED' }])
  await until('2027-01-25')
  expect(await paymentsOfType(house, loan, 'REFUND')).toHaveLength(1)
})

story('the repayment is returned before another payer is refunded', async ({ house, until }) => {
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 100_000, days: 3 })
  await until('2027-01-14')
  const [debit] = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  await payIn(house, { to: loan, amount: 100_000 })
  expect(await paymentsOfType(house, loan, 'REFUND')).toMatchObject([{ amount: 99_850 }])
  await sendBack(house, debit!)
  // Now the transfer is the repayment, so none of it is surplus.
  expect(await loanOf(house, loan.id)).toMatchObject({ repaid_nominal_amount: 100_000 })
  await until('2027-01-25')
  expect(await paymentsOfType(house, loan, 'REFUND')).toMatchObject([{ status: 'CANCELED' }])
})

story('an old debit is refunded to the debtor after the line was drawn again', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 5_000_000, days: 3 })
  await until('2027-01-22')
  await lend(house, borrower, { amount: 5_000_000, days: 40 })
  expect(await lineOf(house, borrower)).toMatchObject({ balance_available: 0 })
  const [debit] = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  const { id } = await instructionOf(house, debit!)
  await house.client.refundSandboxInstruction({ instruction_id: id, reason_code: 'MD06' })
  await house.drain()
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'TO_REPAY' })
  // Negative internally and shown as zero, so nothing can be drawn.
  expect(await lineOf(house, borrower)).toMatchObject({ balance_available: 0 })
  const types = (await paymentsOf(house, loan)).map(p => p.payment_type)
  expect(types).toEqual(['LOAN_PAYMENT', 'REPAYMENT_NOMINAL', 'CHARGEBACK'])
})
