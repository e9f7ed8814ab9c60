/**
 * If an installment payment proves too high for one loan, the surplus pays the plan's other debts
 * before anything is refunded.
 */
import { expect } from 'vitest'
import { matchSuspense, unmatchSuspense } from '../../src/credit/repayments/index.ts'
import type { TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import {
  type Loan,
  loanOf,
  payIn,
  paymentsOf,
  paymentsOfType,
  returnDebit,
} from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { installmentsOf, lateInPlan, transfer } from '../support/recollection.ts'

const story = calendar('2027-01-11')

/** An account that no borrower has on file. */
const SECOND_PAYER = 'FR7630006000011234567890189'

async function refundsOf(app: TestApp, loans: readonly Loan[]) {
  const all = await Promise.all(loans.map(loan => paymentsOfType(app, loan, 'REFUND')))
  return all
    .flat()
    .filter(({ status }) => status !== 'CANCELED')
    .map(({ amount, scheduled_at }) => [amount, scheduled_at!.slice(0, 10)])
}

/** An installment's status, cents due and cents paid. */
type Row = [status: string, due: number, paid: number]

async function state(app: TestApp, loans: readonly Loan[], plan_id: string) {
  const now = await Promise.all(loans.map(({ id }) => loanOf(app, id)))
  const installments = await installmentsOf(app, plan_id)
  const { status } = await app.client.getInstallmentPlan({ installment_plan_id: plan_id })
  return {
    plan: status,
    repaid: now.map(loan => loan.repaid_nominal_amount),
    installments: installments.map((one): Row => [one.status, one.due_amount, one.paid_amount]),
  }
}

/** Two overdue loans in a plan whose first installment of two was paid by a third party. */
async function firstPaid(tale: StoryContext) {
  const input = { number_of_installment: 2, repayment_method: 'SCT' as const }
  const { loans, plan } = await lateInPlan(tale, [1_000_000, 1_000_000], input)
  const { app, until } = tale
  await until('2027-01-25')
  const [first] = await installmentsOf(app, plan.id)
  const { reference, due_amount: amount } = first!
  await transfer(app, { reference: reference!, amount, from_iban: SECOND_PAYER })
  return { loans, plan_id: plan.id, amount }
}

story('a loan is paid twice: its installment money pays the other loan ahead', async tale => {
  const { app, until } = tale
  const { loans, plan_id, amount } = await firstPaid(tale)
  // The transfer is valued before the installment payment, which therefore becomes surplus.
  await payIn(app, { to: loans[0]!, amount: 1_000_000, value_date: '2027-01-22' })
  expect(await refundsOf(app, loans)).toEqual([])
  const { plan, repaid, installments } = await state(app, loans, plan_id)
  expect(repaid).toEqual([1_000_000, 1_000_000])
  // The loans still owed 1,000,000 of principal after the transfer, and interest of 5,500 for
  // 11 days and 7,000 for 14.
  const [[, , first_paid], [, rest]] = installments as [Row, Row]
  expect(rest).toBe(1_012_500 - amount)
  expect(installments).toEqual([
    ['PAID', first_paid, first_paid],
    ['SCHEDULED', rest, 0],
  ])
  expect(plan).toBe('ACTIVE')
  const [, second] = await installmentsOf(app, plan_id)
  await transfer(app, { reference: second!.reference!, amount: rest, from_iban: SECOND_PAYER })
  expect((await state(app, loans, plan_id)).plan).toBe('COMPLETED')
  await until('2027-02-05')
})

story('a loan is paid twice after the plan broke: its money pays the other one', async tale => {
  const { app, until } = tale
  const { loans, plan_id } = await firstPaid(tale)
  await until('2027-02-08')
  const before = await state(app, loans, plan_id)
  expect(before.plan).toBe('BROKEN')
  await payIn(app, { to: loans[0]!, amount: 600_000, value_date: '2027-01-22' })
  expect(await refundsOf(app, loans)).toEqual([])
  const { repaid } = await state(app, loans, plan_id)
  // Interest for 11 days on 1,000,000 and for three on the remaining 400,000 is 6,100.
  const spare = before.repaid[0]! + 600_000 - 1_006_100
  expect(repaid).toEqual([1_000_000, before.repaid[1]! + spare])
})

story(
  'a loan was paid twice by a wrong match: undone, its installment is paid again',
  async tale => {
    const { app, until } = tale
    const { loans, plan_id } = await firstPaid(tale)
    const before = await state(app, loans, plan_id)
    const stray = { to: loans[0]!, amount: 1_000_001, value_date: '2027-01-22' }
    await payIn(app, { ...stray, reference: 'nothing' })
    const { rows } = await app.context.database.pool.query(
      'select id from suspense_items where amount = 1000001',
    )
    const [operator, item] = [await createOperatorId(app), rows[0].id]
    await asOperator(app, tx => matchSuspense(tx.as(operator), item, loans[0]!.id))
    expect((await state(app, loans, plan_id)).repaid).toEqual([1_000_000, 1_000_000])
    await asOperator(app, tx => unmatchSuspense(tx.as(operator), item))
    expect(await state(app, loans, plan_id)).toEqual(before)
    await until('2027-01-27')
  },
)

story("another installment's debit may be returned: a surplus waits for it", async tale => {
  const { app, until } = tale
  const input = { number_of_installment: 2 }
  const { loans, plan } = await lateInPlan(tale, [1_000_000, 1_000_000], input)
  await until('2027-01-26')
  const [, second] = await installmentsOf(app, plan.id)
  const { reference, due_amount } = second!
  const amount = due_amount + 800_000
  await transfer(app, { reference: reference!, amount, from_iban: SECOND_PAYER })
  // Refunds wait because the first installment's debit can be returned until 1 February.
  const planned = await refundsOf(app, loans)
  expect(new Set(planned.map(([, day]) => day))).toEqual(new Set(['2027-02-02']))
  await until('2027-01-28')
  const debit = (await paymentsOf(app, loans[0]!)).findLast(
    one => one.payment_type === 'REPAYMENT_FULL' && one.payment_method === 'DIRECT_DEBIT',
  )!
  await returnDebit(app, debit)
  expect(await refundsOf(app, loans)).toEqual([])
  const { installments } = await state(app, loans, plan.id)
  const spare = planned.reduce((sum, [cents]) => sum + Number(cents), 0)
  expect(installments[0]![1]).toBeLessThan(debit.amount - spare + 3_000)
  expect(installments[1]![0]).toBe('PAID')
})
