/** A transfer with the reference of a loan pays the fees of the loan's plan last. */
import { expect } from 'vitest'
import { matchSuspense, unmatchSuspense } from '../../src/credit/repayments/index.ts'
import type { TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import { type Loan, loanOf, paymentsOf, paymentsOfType, referenceOf } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { installmentsOf, lateInPlan, transfer } from '../support/recollection.ts'

const story = calendar('2027-01-11')

const FEES = 900

/** Overdue loans in a plan of two installments with fees, and each loan's payoff amount. */
async function inPlan(tale: StoryContext, amounts: readonly number[]) {
  const input = { number_of_installment: 2, recollection_fees: FEES }
  const { borrower, loans, plan } = await lateInPlan(tale, amounts, input)
  const { app } = tale
  const payoffs = await Promise.all(
    loans.map(async ({ id: loan_id }) => (await app.client.getLoanPayoff({ loan_id })).total),
  )
  const pay = (to: readonly Loan[], amount: number) =>
    transfer(app, {
      reference: to.map(referenceOf).join(' '),
      amount,
      from_iban: borrower.account_number,
    })
  return { loans, plan_id: plan.id, payoffs, pay }
}

async function endOf({ client }: TestApp, installment_plan_id: string) {
  const { status, installments } = await client.getInstallmentPlan({ installment_plan_id })
  return { status, fees: installments.map(one => [one.status, one.recollection_fees]) }
}

const refundsOf = (app: TestApp, loan: Loan) => paymentsOfType(app, loan, 'REFUND')

story('payoff and fees in one transfer: the plan is completed', async tale => {
  const { app, until } = tale
  const { loans, plan_id, payoffs, pay } = await inPlan(tale, [100_000])
  const [loan] = loans as [Loan]
  await pay([loan], payoffs[0]! + FEES)
  expect((await loanOf(app, loan.id)).repaid_nominal_amount).toBe(100_000)
  expect(await endOf(app, plan_id)).toMatchObject({ status: 'COMPLETED' })
  const paid = (await paymentsOf(app, loan)).at(-1)!
  const to_fees = paid.related_to.payment_intents!.reduce((sum, { amount }) => sum + amount, 0)
  expect([paid.amount, to_fees]).toEqual([payoffs[0]! + FEES, FEES])
  expect((await installmentsOf(app, plan_id)).map(one => one.paid_amount)).toEqual([450, 450])
  await until('2027-02-05')
  expect(await refundsOf(app, loan)).toEqual([])
  expect(await endOf(app, plan_id)).toMatchObject({ status: 'COMPLETED' })
})

story('more than payoff and fees: only the rest is refunded', async tale => {
  const { app } = tale
  const { loans, plan_id, payoffs, pay } = await inPlan(tale, [120_000])
  await pay(loans, payoffs[0]! + FEES + 77)
  expect(await endOf(app, plan_id)).toMatchObject({ status: 'COMPLETED' })
  expect((await refundsOf(app, loans[0]!)).map(({ amount }) => amount)).toEqual([77])
})

story('while another loan of the plan is owed, fees are not paid ahead of it', async tale => {
  const { app } = tale
  const { loans, plan_id, payoffs, pay } = await inPlan(tale, [100_000, 50_000])
  await pay([loans[0]!], payoffs[0]! + FEES)
  expect((await refundsOf(app, loans[0]!)).map(({ amount }) => amount)).toEqual([FEES])
  expect(await endOf(app, plan_id)).toEqual({
    status: 'SCHEDULED',
    fees: [
      ['SCHEDULED', 450],
      ['SCHEDULED', 450],
    ],
  })
  await pay([loans[1]!], payoffs[1]! + 450)
  expect((await installmentsOf(app, plan_id)).map(one => one.paid_amount)).toEqual([450, 0])
  await pay(loans, 450)
  expect(await endOf(app, plan_id)).toMatchObject({ status: 'COMPLETED' })
})

story('an operator matches it with the loan, and undoes the match', async tale => {
  const { app } = tale
  const { loans, plan_id, payoffs } = await inPlan(tale, [130_000])
  const [loan] = loans as [Loan]
  const amount = payoffs[0]! + FEES
  await transfer(app, { reference: 'Thank you', amount, from_iban: loan.loan_to.account_number })
  const { rows } = await app.context.database.pool.query(
    'select id from suspense_items where amount = $1',
    [amount],
  )
  const [operator, item] = [await createOperatorId(app), rows[0].id]
  const before = await installmentsOf(app, plan_id)
  await asOperator(app, tx => matchSuspense(tx.as(operator), item, loan.id))
  expect(await endOf(app, plan_id)).toMatchObject({ status: 'COMPLETED' })
  await asOperator(app, tx => unmatchSuspense(tx.as(operator), item))
  const owed = (all: typeof before) => all.map(one => [one.due_amount, one.paid_amount])
  expect(owed(await installmentsOf(app, plan_id))).toEqual(owed(before))
  expect(await endOf(app, plan_id)).toMatchObject({ status: 'ACTIVE' })
})
