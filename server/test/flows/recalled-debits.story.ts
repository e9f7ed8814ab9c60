/** The date of the debit that replaces one that was recalled or that the bank canceled. */
import { expect, test } from 'vitest'
import { earliestReplacementDay } from '../../src/money/payments/dates.ts'
import { addTargetDays, isTargetDay } from '../../src/platform/kit/calendar.ts'
import { addDays, day } from '../../src/platform/kit/dates.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { instructionOf, type Loan, lend, payIn, paymentsOf, receiveNews } from '../support/money.ts'
import { installmentsOf, openCase, planFor, transfer } from '../support/recollection.ts'
import { readyBorrower } from '../support/story.ts'

// 11 January 2027 is a Monday.
const story = calendar('2027-01-11')

async function debitsOf(app: TestApp, loan: Loan) {
  const payments = await paymentsOf(app, loan)
  return payments.filter(payment => payment.payment_method === 'DIRECT_DEBIT')
}

/** Books news that the bank canceled a debit without being asked. */
async function cancelAtBank(app: TestApp, { id, amount }: { id: string; amount: number }) {
  const canceled = { kind: 'CANCELED', reason_code: 'TECH', value_on: day('2027-01-20') } as const
  await receiveNews(app, { ...canceled, payment_id: id, amount: BigInt(amount) })
}

story(
  'a partial payment on a Saturday: the rest of Monday’s debit is due on Tuesday',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app)
    // The debit is due on Monday the 18th, and the bank has had it since Thursday.
    const loan = await lend(app, borrower, { amount: 100_000, days: 7 })
    await until('2027-01-16')
    await payIn(app, { to: loan, amount: 30_000 })
    const [first, second] = await debitsOf(app, loan)
    expect(first).toMatchObject({ status: 'CANCELED', scheduled_at: '2027-01-18T00:00:00Z' })
    expect(second).toMatchObject({ amount: 70_000, scheduled_at: '2027-01-19T00:00:00Z' })
    expect((await instructionOf(app, second!)).requested_date).toBe('2027-01-19T00:00:00Z')
    await until('2027-01-20')
    expect((await debitsOf(app, loan))[1]).toMatchObject({ status: 'PAID' })
  },
)

story('on Good Friday: the rest of Tuesday’s debit is due on Wednesday', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  await until('2027-03-15')
  // The loan is due on Tuesday, 30 March. Thursday the 25th is the last TARGET day before that.
  const loan = await lend(app, borrower, { amount: 100_000, days: 15 })
  await until('2027-03-26')
  expect(isTargetDay(day('2027-03-26'))).toBe(false)
  await payIn(app, { to: loan, amount: 30_000 })
  const [first, second] = await debitsOf(app, loan)
  expect(first).toMatchObject({ status: 'CANCELED', scheduled_at: '2027-03-30T00:00:00Z' })
  expect(second).toMatchObject({ amount: 70_000, scheduled_at: '2027-03-31T00:00:00Z' })
  expect((await instructionOf(app, second!)).requested_date).toBe('2027-03-31T00:00:00Z')
})

story('on the day before a closure, the rest keeps its date after it', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  await until('2027-03-15')
  const loan = await lend(app, borrower, { amount: 100_000, days: 15 })
  await until('2027-03-25')
  await payIn(app, { to: loan, amount: 30_000 })
  const [, second] = await debitsOf(app, loan)
  expect(second).toMatchObject({ amount: 70_000, scheduled_at: '2027-03-30T00:00:00Z' })
})

story('a debit canceled by the bank is replaced with full notice', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-01-20')
  const [debit] = await debitsOf(app, loan)
  expect(debit).toMatchObject({ status: 'INSTRUCTED', scheduled_at: '2027-01-21T00:00:00Z' })
  await cancelAtBank(app, debit!)
  // The new debit gets two TARGET days' notice from Wednesday, not the canceled debit's date.
  const [first, second] = await debitsOf(app, loan)
  expect(first).toMatchObject({ status: 'CANCELED' })
  expect(second).toMatchObject({ amount: 100_000, scheduled_at: '2027-01-22T00:00:00Z' })
})

story(
  'a partial payment of an installment: the rest keeps its date; if canceled, it moves',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app)
    const loan = await lend(app, borrower, { amount: 60_000, days: 30 })
    const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
    const terms = { number_of_installment: 2, period: 'weekly', start_date: '2027-01-21' } as const
    const { plan } = await planFor(app, case_id, { ...terms, repayment_method: 'DIRECT_DEBIT' })
    await until('2027-01-20')
    const [installment] = await installmentsOf(app, plan.id)
    const reference = installment!.reference
    await transfer(app, { reference, amount: 10_000, from_iban: borrower.account_number })
    const debits = async () => {
      const { data } = await app.client.listPayments({ payment_intent_id: [installment!.id] })
      return data.filter(p => p.payment_method === 'DIRECT_DEBIT').toReversed()
    }
    const [first, second] = await debits()
    const on = '2027-01-21T00:00:00Z'
    expect(first).toMatchObject({ status: 'CANCELED', scheduled_at: on })
    const rest = installment!.due_amount - 10_000
    expect(second).toMatchObject({ status: 'INSTRUCTED', amount: rest, scheduled_at: on })
    await cancelAtBank(app, second!)
    expect((await debits())[2]).toMatchObject({
      amount: rest,
      scheduled_at: '2027-01-22T00:00:00Z',
    })
  },
)

test('on any day, the bank has the rest one TARGET day before it is due', () => {
  for (let today = day('2027-03-01'); today < '2027-05-10'; today = addDays(today, 1)) {
    const reaches = isTargetDay(today) ? today : addTargetDays(today, 1)
    expect([today, earliestReplacementDay(today)]).toEqual([today, addTargetDays(reaches, 1)])
  }
})
