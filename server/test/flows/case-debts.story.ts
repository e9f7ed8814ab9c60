/** A collection case counts each debt once, exactly as its plans do. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { billsOf, lend } from '../support/money.ts'
import { openCase } from '../support/recollection.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

story("a loan's billed interest is owed once, by a case and by its plan", async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-05')
  const [bill] = await billsOf(app, borrower)
  const about = { loan_ids: [loan.id], bill_ids: [bill!.id] }
  const { id: recollection_case_id } = await openCase(app, borrower, about)
  const { total } = await app.client.getLoanPayoff({ loan_id: loan.id })
  expect(await app.client.getRecollectionCaseDebts({ recollection_case_id })).toEqual({
    recollection_case_id,
    on: '2027-02-05T00:00:00Z',
    currency: 'EUR',
    total,
    debts: [
      { type: 'LOAN', id: loan.id, status: 'TO_REPAY', due_at: loan.to_repay_at, owed: total },
      { type: 'BILL', id: bill!.id, status: 'TO_PAY', due_at: bill!.due_date, owed: 0 },
    ],
  })
  const terms = { number_of_installment: 1, period: 'weekly' as const, start_date: '2027-02-10' }
  const plan = await app.client.computeRecollectionInstallmentPlan({
    recollection_case_id,
    ...terms,
  })
  // The plan's installment is due five days later, so it includes 250 more interest.
  expect(plan.installments.map(one => one.amount)).toEqual([total + 250])
})
