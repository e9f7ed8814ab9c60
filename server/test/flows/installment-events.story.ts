/** An installment has an event for each change that GET shows, even without a new status. */
import { EVENT_NAMES, type EventData } from '@headroom/contract'
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { lasting } from '../support/latest-events.ts'
import { lend } from '../support/money.ts'
import { installmentsOf, lateInPlan, openCase, planFor, transfer } from '../support/recollection.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

const ofInstallments = EVENT_NAMES.filter(type => type.startsWith('Installment.'))

/** The events about an installment so far, in order: type, status, cents paid. */
async function eventsOf({ client }: TestApp, id: string) {
  const sent: EventData<'Installment.UPDATED'>[] = []
  const result: [type: string, status: string, paid: number][] = []
  const feed = client.each('listWebhookEvents', { type: ofInstallments, page_size: 500 })
  for await (const { type, data } of feed) {
    const one = data as EventData<'Installment.UPDATED'>
    if (one.id !== id) continue
    sent.push(one)
    result.push([type, one.status, one.paid_amount])
  }
  return { result, last: sent.at(-1)! }
}

story('the debit of an installment is instructed, then settled', async tale => {
  const { app, until } = tale
  const { plan } = await lateInPlan(tale, [100_000], { number_of_installment: 2 })
  const [{ id, amount }] = plan.installments as [(typeof plan.installments)[number]]
  // The debit is instructed two banking days ahead.
  await until('2027-01-22')
  const [instructed] = await installmentsOf(app, plan.id)
  expect(instructed).toMatchObject({ status: 'INSTRUCTED', paid_amount: 0 })
  const during = await eventsOf(app, id)
  expect(during.result).toContainEqual(['Installment.UPDATED', 'INSTRUCTED', 0])
  expect(lasting(during.last)).toEqual(lasting(instructed!))
  await until('2027-01-26')
  const { result, last } = await eventsOf(app, id)
  expect(result.at(-1)).toEqual(['Installment.PAID', 'PAID', amount])
  expect(lasting(last)).toEqual(lasting((await installmentsOf(app, plan.id))[0]!))
  const after = { updated_at_gt: '2027-01-21T00:00:00Z', updated_at_lt: '2027-01-26T00:00:00Z' }
  const { data } = await app.client.listInstallments({ installment_plan_ids: [plan.id], ...after })
  expect(data.map(one => one.id)).toEqual([id])
})

story('an installment is paid in parts', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 20 })
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const { plan } = await planFor(app, case_id, {
    number_of_installment: 2,
    period: 'weekly',
    start_date: '2027-01-18',
    repayment_method: 'SCT',
  })
  const [{ id, reference, amount }] = plan.installments as [(typeof plan.installments)[number]]
  const pay = (cents: number) =>
    transfer(app, { reference, amount: cents, from_iban: borrower.account_number })
  await pay(10_000)
  await pay(5_000)
  await until('2027-01-12')
  const { result, last } = await eventsOf(app, id)
  expect(result.map(([type, _, paid]) => [type, paid])).toEqual([
    ['Installment.SCHEDULED', 0],
    ['Installment.PARTIALLY_PAID', 10_000],
    ['Installment.UPDATED', 15_000],
  ])
  const [now] = await installmentsOf(app, plan.id)
  expect(lasting(last)).toEqual(lasting(now!))
  await pay(now!.due_amount - 15_000)
  expect((await eventsOf(app, id)).result.at(-1)![0]).toBe('Installment.PAID')
  expect(amount).toBeGreaterThanOrEqual(now!.due_amount)
})
