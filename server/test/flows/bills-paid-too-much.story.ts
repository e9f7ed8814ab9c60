/**
 * A bill for two loans is paid in part or in full, and then a backdated payment repays the first
 * loan. The surplus interest pays the other loan's line, and the next bill credits only the rest.
 */
import { expect } from 'vitest'
import { matchSuspense, unmatchSuspense } from '../../src/credit/repayments/index.ts'
import type { TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import { billsOf, type Loan, lend, loanOf, payIn, paymentsOfType } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { type ReadyBorrower, readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

/** An account that no borrower has on file. */
const SECOND_PAYER = 'FR7630006000011234567890189'

/** Each bill's status, amount paid and amount due in cents, and the interest paid on each loan. */
async function state(app: TestApp, borrower: ReadyBorrower, ...loans: readonly Loan[]) {
  const bills = await billsOf(app, borrower)
  const now = await Promise.all(loans.map(({ id }) => loanOf(app, id)))
  const refunds = await Promise.all(loans.map(loan => paymentsOfType(app, loan, 'REFUND')))
  expect(refunds.flat()).toEqual([])
  return {
    bills: bills.map(bill => [bill.status, bill.paid_amount, bill.to_pay_amount]),
    interest: now.map(loan => loan.paid_interests_amount),
  }
}

/** Two loans, for each of which the January bill charges 10,500 of interest. */
async function billed({ app, until }: StoryContext) {
  const borrower = await readyBorrower(app, 'SCT')
  const one = await lend(app, borrower, { amount: 1_000_000, days: 45 })
  const two = await lend(app, borrower, { amount: 1_000_000, days: 45 })
  await until('2027-02-04')
  const [bill] = await billsOf(app, borrower)
  const reference = bill!.payment.to_references[0]!
  const payBill = (amount: number) =>
    payIn(app, { to: one, amount, reference, from_iban: SECOND_PAYER })
  // After this, the first loan owes only 2,500, five days of interest.
  const repayEarly = (amount = 1_000_000) =>
    payIn(app, { to: one, amount, value_date: '2027-01-16' })
  return { borrower, one, two, payBill, repayEarly }
}

story('partly paid: the bill is settled, and the rest of the money credited', async tale => {
  const { app, until } = tale
  const { borrower, one, two, payBill, repayEarly } = await billed(tale)
  await payBill(15_000)
  expect(await state(app, borrower, one, two)).toEqual({
    bills: [['TO_PAY', 15_000, 6_000]],
    interest: [10_500, 4_500],
  })
  await repayEarly()
  expect(await state(app, borrower, one, two)).toEqual({
    bills: [['PAID', 15_000, 21_000]],
    interest: [4_500, 10_500],
  })
  await until('2027-02-16')
  const { status } = await app.client.getBorrower({ borrower_id: borrower.id })
  expect(status).toBe('READY')
  await until('2027-03-10')
  // The second loan's February interest is 14,000. The first loan's surplus pays 2,000 of it.
  expect(await state(app, borrower, one, two)).toEqual({
    bills: [
      ['PAID', 15_000, 21_000],
      ['TO_PAY', 0, 12_000],
    ],
    interest: [2_500, 12_500],
  })
})

story('partly paid, with other interest: both pay the other loan', async tale => {
  const { app } = tale
  const { borrower, one, two, payBill, repayEarly } = await billed(tale)
  await payBill(15_000)
  await repayEarly(1_002_500)
  expect(await state(app, borrower, one, two)).toEqual({
    bills: [['PAID', 17_500, 21_000]],
    interest: [7_000, 10_500],
  })
})

story('fully paid: the whole surplus is credited', async tale => {
  const { app, until } = tale
  const { borrower, one, two, payBill, repayEarly } = await billed(tale)
  await payBill(21_000)
  await repayEarly()
  expect(await state(app, borrower, one, two)).toEqual({
    bills: [['PAID', 21_000, 21_000]],
    interest: [10_500, 10_500],
  })
  await until('2027-03-10')
  expect(await state(app, borrower, one, two)).toEqual({
    bills: [
      ['PAID', 21_000, 21_000],
      ['TO_PAY', 0, 6_000],
    ],
    interest: [2_500, 18_500],
  })
})

story("the other loan's line reopens later, and is paid then", async tale => {
  const { app } = tale
  const { borrower, one, two, payBill, repayEarly } = await billed(tale)
  await payIn(app, { to: two, amount: 1_012_001, reference: 'nothing' })
  const { rows } = await app.context.database.pool.query(
    'select id from suspense_items where amount = 1012001',
  )
  const [operator, item] = [await createOperatorId(app), rows[0].id]
  await asOperator(app, tx => matchSuspense(tx.as(operator), item, two.id))
  await payBill(10_500)
  await repayEarly()
  expect((await billsOf(app, borrower))[0]).toMatchObject({ status: 'PAID' })
  await asOperator(app, tx => unmatchSuspense(tx.as(operator), item))
  const { bills, interest } = await state(app, borrower, one)
  expect(interest).toEqual([2_500])
  expect(bills).toEqual([['TO_PAY', 10_500, 2_500]])
  expect(await loanOf(app, two.id)).toMatchObject({ paid_interests_amount: 8_000 })
})
