/**
 * Each time a loan becomes overdue it has one event, whatever happens to its plan and payments.
 */
import { createClient } from '@headroom/sdk'
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import { debitOf, lend, refundDebit, returnDebit } from '../support/money.ts'
import { openCase, planFor } from '../support/recollection.ts'
import { mailsTo, readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

type Loan = { id: string }

/** The number of Loan.OVERDUE events about a loan in the feed of version 2023-09. */
async function overdueEvents({ base_url, key }: TestApp, { id }: Loan): Promise<number> {
  const old = createClient({ base_url, key, version: '2023-09' })
  const { data } = await old.listWebhookEvents({ type: ['Loan.OVERDUE'], page_size: 500 })
  return data.filter(event => (event.data as Loan).id === id).length
}

async function logged({ client }: TestApp, loan: Loan): Promise<number> {
  const { data } = await client.listEvents({ loan_id: [loan.id] })
  return data.filter(one => one.event_type === 'LOAN_PRINCIPAL_FALLEN_LATE').length
}

/** An overdue loan in a monthly plan of two debits, of which the first has settled. */
async function inPlan({ app, until }: StoryContext, is_contractual: boolean) {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 90_000, days: 5 })
  await until('2027-01-19')
  await returnDebit(app, await debitOf(app, loan))
  expect(await overdueEvents(app, loan)).toBe(1)
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = {
    number_of_installment: 2,
    period: 'monthly' as const,
    start_date: '2027-01-25',
    repayment_method: 'DIRECT_DEBIT' as const,
  }
  const { plan } = await planFor(app, id, terms, { is_contractual })
  await until('2027-02-16')
  const payment_intent_id = [plan.installments[0]!.id]
  const { data } = await app.client.listPayments({ payment_intent_id })
  expect(data[0]).toMatchObject({ status: 'PAID' })
  return { borrower, loan, plan, debit: data[0]! }
}

async function planOf({ client }: TestApp, { id }: { id: string }) {
  return client.getInstallmentPlan({ installment_plan_id: id })
}

for (const is_contractual of [true, false]) {
  // A contractual plan replaces the due date, so a loan is overdue again when the plan breaks.
  // Under any other plan it has been overdue all along.
  const times = is_contractual ? 2 : 1
  const kind = is_contractual ? 'a contractual plan' : 'a plan that is not contractual'
  story(`${kind} breaks through a debit refunded after weeks: one event`, async tale => {
    const { app, until } = tale
    const { borrower, loan, plan, debit } = await inPlan(tale, is_contractual)
    expect(await overdueEvents(app, loan)).toBe(1)
    await refundDebit(app, debit)
    expect(await planOf(app, plan)).toMatchObject({ status: 'BROKEN' })
    expect(await overdueEvents(app, loan)).toBe(times)
    expect(await logged(app, loan)).toBe(times)
    await until('2027-03-20')
    expect(await overdueEvents(app, loan)).toBe(times)
    expect(await logged(app, loan)).toBe(times)
    expect(await mailsTo(app, borrower, /échéancier .* a pris fin/)).toHaveLength(1)
  })
}
