/** Bills in a case or a plan that prove wrong are replaced or become `INVALID`. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import { billsOf, lend, loanOf, payIn, paymentsOfType } from '../support/money.ts'
import { installmentsOf, openCase, planFor, transfer } from '../support/recollection.ts'
import { readyBorrower } from '../support/story.ts'

// 11 January 2027 is a Monday.
const story = calendar('2027-01-11')

const WEEKLY = { number_of_installment: 3, period: 'weekly' as const, start_date: '2027-02-10' }

/** A loan of €1,000 and a case about its first bill of €10.50. */
async function billed(app: TestApp, until: StoryContext['until']) {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-02')
  const [bill] = await billsOf(app, borrower)
  expect(bill).toMatchObject({ status: 'TO_PAY', to_pay_amount: 1_050 })
  const { id: case_id } = await openCase(app, borrower, { bill_ids: [bill!.id] })
  return { borrower, loan, bill: bill!, case_id }
}

story('a bill becomes invalid: its plan is canceled and its case closed', async tale => {
  const { app, until } = tale
  const { client } = app
  const { borrower, loan, bill, case_id } = await billed(app, until)
  const { plan } = await planFor(app, case_id, { ...WEEKLY, recollection_fees: 300 })
  expect(plan.installments.map(one => one.bills)).toEqual(
    Array(3).fill([{ bill_id: bill.id, amount: 350 }]),
  )
  // The repayment is valued on the payout date, so no interest was ever owed.
  await payIn(app, { to: loan, amount: 100_000, value_date: '2027-01-11' })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED', fees_ongoing: 0 })
  expect(await billsOf(app, borrower)).toMatchObject([{ id: bill.id, status: 'INVALID' }])
  const now = await client.getInstallmentPlan({ installment_plan_id: plan.id })
  expect(now.status).toBe('CANCELED')
  const due = (await installmentsOf(app, plan.id)).map(one => [one.status, one.due_amount])
  expect(due).toEqual(Array(3).fill(['CANCELED', 0]))
  const found = await client.getRecollectionCase({ recollection_case_id: case_id })
  expect(found.status).toBe('CLOSED')
  // A payment for the canceled plan is refunded.
  const from_iban = borrower.account_number
  await transfer(app, { reference: plan.reference, amount: 350, from_iban })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED', paid_interests_amount: 0 })
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([
    { amount: 350, status: 'SCHEDULED' },
  ])
})

story('a bill is replaced: its case and its plan continue with the new bill', async tale => {
  const { app, until } = tale
  const { borrower, loan, bill, case_id } = await billed(app, until)
  await payIn(app, { to: loan, amount: 40_000, value_date: '2027-01-25' })
  const [, valid] = await billsOf(app, borrower)
  expect(valid).toMatchObject({ amends_bill_id: bill.id, status: 'TO_PAY', to_pay_amount: 910 })
  await expect(openCase(app, borrower, { bill_ids: [valid!.id] })).rejects.toMatchObject({
    code: 'case_exists',
  })
  const { plan } = await planFor(app, case_id, WEEKLY)
  expect(plan).toMatchObject({ status: 'SCHEDULED' })
  const requested = plan.installments.reduce((sum, one) => sum + one.amount, 0)
  expect(requested).toBe(910)
  // The bill is replaced again, and the plan's installments follow the new amount.
  await payIn(app, { to: loan, amount: 20_000, value_date: '2027-01-25' })
  expect((await billsOf(app, borrower)).at(-1)).toMatchObject({ to_pay_amount: 840 })
  const due = (await installmentsOf(app, plan.id)).map(one => one.due_amount)
  expect(due.reduce((sum, cents) => sum + cents, 0)).toBe(840)
  const from_iban = borrower.account_number
  await transfer(app, { reference: plan.reference, amount: 840, from_iban })
  expect((await billsOf(app, borrower)).at(-1)).toMatchObject({ status: 'PAID' })
  const now = await app.client.getInstallmentPlan({ installment_plan_id: plan.id })
  expect(now.status).toBe('COMPLETED')
  const found = await app.client.getRecollectionCase({ recollection_case_id: case_id })
  expect(found.status).toBe('CLOSED')
})
