/** A legal stop of interest, even from a past date, changes bills, previews, plans and payoffs. */
import { expect } from 'vitest'
import { resumeInterest, stopInterest } from '../../src/credit/recollection/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import type { TestApp } from '../support/app.ts'
import { calendar, expectVerified } from '../support/calendar.ts'
import { billsOf, lend, loanOf, payIn } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { agree, asSecondPartner } from '../support/partner-terms.ts'
import { installmentsOf, openCase, planFor } from '../support/recollection.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

async function stop(app: TestApp, case_id: string, on: string, reason = 'Safeguard opened') {
  const by = await createOperatorId(app)
  await asOperator(app, tx => stopInterest(tx.as(by), { case_id, on: day(on), reason }))
}

async function resume(app: TestApp, case_id: string, on: string, reason = 'Plan adopted') {
  const by = await createOperatorId(app)
  await asOperator(app, tx => resumeInterest(tx.as(by), { case_id, on: day(on), reason }))
}

const sum = (list: readonly { amount: number }[]) => list.reduce((t, one) => t + one.amount, 0)

story(
  'a sent bill is replaced, none follows, and interest resumes on the given day',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app, 'SCT')
    const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
    await until('2027-02-05')
    // Interest for 21 days of January.
    expect((await billsOf(app, borrower))[0]).toMatchObject({ to_pay_amount: 1_050 })
    const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
    await stop(app, id, '2027-01-21')
    expect(await loanOf(app, loan.id)).toMatchObject({
      fees_ongoing: 500,
      fees_estimated: 500,
      status: 'TO_REPAY',
    })
    const recollection_case_id = id
    const found = await app.client.getRecollectionCase({ recollection_case_id })
    expect(found.interest_stop).toEqual({
      stopped_at: '2027-01-21T00:00:00Z',
      reason: 'Safeguard opened',
      resumed_at: null,
      resume_reason: null,
    })
    const bills = await billsOf(app, borrower)
    expect(bills.map(bill => [bill.status, bill.to_pay_amount])).toEqual([
      ['INVALID', 1_050],
      ['TO_PAY', 500],
    ])
    expect(await app.client.getLoanPayoff({ loan_id: loan.id, on: '2027-03-01' })).toMatchObject({
      principal: 100_000,
      interest: 500,
    })
    await until('2027-03-03')
    expect(await billsOf(app, borrower)).toHaveLength(2)
    await resume(app, id, '2027-03-01')
    expect((await loanOf(app, loan.id)).fees_ongoing).toBe(600)
    const { data: log } = await app.client.listWebhookEvents({
      type: ['RecollectionCase.INTEREST_STOPPED', 'RecollectionCase.INTEREST_RESUMED'],
    })
    const own = log.filter(event => (event.data as { id: string }).id === id)
    expect(own.map(event => event.type)).toEqual([
      'RecollectionCase.INTEREST_STOPPED',
      'RecollectionCase.INTEREST_RESUMED',
    ])
    await until('2027-03-11')
    // The payment lowers the interest of January. None accrued from 21 January until 1 March.
    await payIn(app, { to: loan, amount: 50_000, value_date: '2027-01-16' })
    // Five days on €1,000, five on €500, then ten days of March on €500.
    expect((await loanOf(app, loan.id)).fees_ongoing).toBe(250 + 125 + 250)
  },
)

story('a sent bill with a frozen debit stays, and the next one is lower', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-02')
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  await stop(app, id, '2027-01-21')
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'TO_PAY', to_pay_amount: 1_050, payment: { status: 'INSTRUCTED', amount: 1_050 } },
  ])
  // The bill is now too high without any payment, and the books are still right.
  await expectVerified(app)
  await until('2027-03-02')
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'PAID', to_pay_amount: 1_050 },
    { kind: 'CREDIT_NOTE', status: 'PAID', to_pay_amount: -550 },
  ])
})

story('resuming from the day of the stop undoes it', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 20 })
  await until('2027-01-26')
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  await stop(app, id, '2027-01-16')
  expect((await loanOf(app, loan.id)).fees_ongoing).toBe(250)
  await resume(app, id, '2027-01-16')
  expect((await loanOf(app, loan.id)).fees_ongoing).toBe(750)
  await stop(app, id, '2027-01-26', 'Now it is true')
  // The payoff amount is the principal plus the interest up to the stop.
  await until('2027-02-08')
  await payIn(app, { to: loan, amount: 100_750 })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED', repaid_amount: 100_750 })
  const recollection_case_id = id
  const found = await app.client.getRecollectionCase({ recollection_case_id })
  expect(found).toMatchObject({ status: 'CLOSED', interest_stop: { reason: 'Now it is true' } })
})

story('previews have no interest after a stop, and an active plan is reduced', async tale => {
  const { until } = tale
  const app = asSecondPartner(tale.app)
  await agree(app, {})
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 60_000, days: 30 })
  await until('2027-01-21')
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = { number_of_installment: 3, period: 'weekly' as const, start_date: '2027-01-28' }
  const { plan } = await planFor(app, case_id, { ...terms, recollection_fees: 300 })
  expect(sum(plan.installments)).toBeGreaterThan(60_000 + 300 + 600)
  await stop(app, case_id, '2027-01-21')
  const less = await installmentsOf(app, plan.id)
  // Principal, fees and exactly ten days of interest.
  expect(less.reduce((total, one) => total + one.due_amount, 0)).toBe(60_000 + 300 + 300)
  const { installments } = await app.client.computeRecollectionInstallmentPlan({
    recollection_case_id: case_id,
    ...terms,
    repayment_method: 'SCT' as const,
  })
  expect(sum(installments)).toBe(60_000 + 300)
  await until('2027-02-13')
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'CLOSED',
    repaid_nominal_amount: 60_000,
    paid_interests_amount: 300,
  })
})

story('a stop requires a past day, a reason and a case', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 10_000, days: 20 })
  await until('2027-01-13')
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const refused = (work: Promise<unknown>, code: string) =>
    expect(work).rejects.toMatchObject({ code })
  await refused(stop(app, id, '2027-01-14'), 'request_invalid')
  await refused(stop(app, id, '2027-01-12', ' '), 'request_invalid')
  await refused(stop(app, crypto.randomUUID(), '2027-01-12'), 'resource_unknown')
  await refused(resume(app, id, '2027-01-12'), 'state_conflict')
  await stop(app, id, '2027-01-12')
  await refused(stop(app, id, '2027-01-12'), 'state_conflict')
  await refused(resume(app, id, '2027-01-11'), 'request_invalid')
  // Closing the case does not resume interest.
  await app.client.closeRecollectionCase({ recollection_case_id: id, reason: 'sold' })
  await until('2027-01-18')
  expect((await loanOf(app, loan.id)).fees_ongoing).toBe(5)
  await refused(stop(app, id, '2027-01-12'), 'state_conflict')
  await resume(app, id, '2027-01-17')
  expect((await loanOf(app, loan.id)).fees_ongoing).toBe(10)
})
