/** A plan's installments replace the loans' own debits until the plan is paid or breaks. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { billsOf, lend, loanOf, paymentsOf, returnDebit } from '../support/money.ts'
import { agree, asSecondPartner } from '../support/partner-terms.ts'
import { installmentsOf, openCase, planFor, transfer } from '../support/recollection.ts'
import { readyBorrower } from '../support/story.ts'
import { writeOff } from '../support/write-offs.ts'

// 11 January 2027 is a Monday.
const story = calendar('2027-01-11')

async function planOf({ client }: TestApp, installment_plan_id: string) {
  return client.getInstallmentPlan({ installment_plan_id })
}

async function intentPayments({ client }: TestApp, id: string) {
  const { data } = await client.listPayments({ payment_intent_id: [id] })
  return data.toReversed()
}

const sum = (list: readonly { amount: number }[]) => list.reduce((t, one) => t + one.amount, 0)

const WEEKLY = {
  number_of_installment: 3,
  period: 'weekly' as const,
  start_date: '2027-01-25',
  recollection_fees: 1_001,
  repayment_method: 'DIRECT_DEBIT' as const,
}

story('a plan by debit is collected to the last cent; fees go to the partner', async tale => {
  const { until } = tale
  // Uses the second partner, so that only this plan's fees are paid to it.
  const app = asSecondPartner(tale.app)
  const { client } = app
  await agree(app, {})
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 60_000, days: 30 })
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const { computed, plan } = await planFor(app, case_id, WEEKLY)
  expect(computed.installments.map(one => one.date.slice(0, 10))).toEqual([
    '2027-01-25',
    '2027-02-01',
    '2027-02-08',
  ])
  // Interest for 14 days on 60,000, then for 7 days each on about 40,000 and 20,000.
  const total = sum(computed.installments)
  expect(total - 1_001).toBeGreaterThan(60_000 + 420 + 130 + 60)
  expect(total - 1_001).toBeLessThan(60_000 + 420 + 140 + 75)
  expect(plan).toMatchObject({ status: 'SCHEDULED', recollection_case_id: case_id })
  // The loan's estimated interest follows the dates of the plan.
  expect((await loanOf(app, loan.id)).fees_estimated).toBe(total - 1_001 - 60_000)
  expect(plan.installments.map(one => one.status)).toEqual(Array(3).fill('SCHEDULED'))
  // The loan's own debit is canceled.
  const own = await paymentsOf(app, loan)
  expect(own.map(p => [p.payment_type, p.status])).toEqual([
    ['LOAN_PAYMENT', 'PAID'],
    ['REPAYMENT_NOMINAL', 'CANCELED'],
  ])
  await until('2027-01-26')
  expect((await planOf(app, plan.id)).status).toBe('ACTIVE')
  const [first] = await installmentsOf(app, plan.id)
  expect(first).toMatchObject({
    status: 'PAID',
    paid_amount: first!.due_amount,
    last_repayment_date: '2027-01-25T00:00:00Z',
    attempts: [{ status: 'PAID', payment_type: 'REPAYMENT_FULL' }],
  })
  expect((await loanOf(app, loan.id)).fees_estimated).toBe(total - 1_001 - 60_000)
  const [debit] = await intentPayments(app, first!.id)
  expect(debit).toMatchObject({ status: 'PAID', payment_method: 'DIRECT_DEBIT' })
  expect(debit!.related_to.payment_intents).toMatchObject([
    { payment_intent_id: first!.id, amount: first!.due_amount },
  ])
  // The first debit can be returned for five banking days, until Monday the 1st.
  await until('2027-02-01')
  expect((await client.listPayments({ payment_type: ['REVENUE_SHARE'] })).data).toEqual([])
  // Interest is still billed, but the bill has no debit.
  await until('2027-02-05')
  const [bill] = await billsOf(app, borrower)
  expect(bill).toMatchObject({ status: 'TO_PAY' })
  expect(
    (await client.listPayments({ payment_type: ['REPAYMENT_FEES'] })).data.filter(p =>
      p.related_to.bills.some(b => b.bill_id === bill!.id),
    ),
  ).toEqual([])
  await until('2027-02-09')
  expect(await planOf(app, plan.id)).toMatchObject({ status: 'COMPLETED' })
  const closed = await loanOf(app, loan.id)
  expect(closed).toMatchObject({ status: 'CLOSED', repaid_nominal_amount: 60_000 })
  expect(closed.paid_interests_amount).toBe(total - 1_001 - 60_000)
  const found = await client.getRecollectionCase({ recollection_case_id: case_id })
  expect(found).toMatchObject({ status: 'CLOSED', strategies: [{ is_active: false }] })
  expect((await billsOf(app, borrower))[0]).toMatchObject({ status: 'PAID' })
  // The fees are paid out once the last debit can no longer be returned.
  await until('2027-02-19')
  const { data: shares } = await client.listPayments({ payment_type: ['REVENUE_SHARE'] })
  expect(sum(shares)).toBe(1_001)
  expect(shares.every(one => one.status === 'PAID')).toBe(true)
})

story('an unpaid installment breaks its plan, and everything is due again', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 30_000, days: 40 })
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = { number_of_installment: 2, period: 'weekly' as const, start_date: '2027-01-20' }
  const { plan } = await planFor(app, case_id, { ...terms, repayment_method: 'SCT' })
  // The loan is due on Saturday, 20 February, so its own debit is planned for Monday the 22nd.
  await until('2027-01-24')
  expect((await planOf(app, plan.id)).status).toBe('ACTIVE')
  await until('2027-01-25')
  expect(await planOf(app, plan.id)).toMatchObject({
    status: 'BROKEN',
    installments: [{ status: 'CANCELED' }, { status: 'CANCELED' }],
  })
  const payments = await paymentsOf(app, loan)
  expect(payments.at(-1)).toMatchObject({
    payment_type: 'REPAYMENT_NOMINAL',
    status: 'SCHEDULED',
    amount: 30_000,
    scheduled_at: '2027-02-22T00:00:00Z',
  })
  await until('2027-02-23')
  expect((await loanOf(app, loan.id)).repaid_nominal_amount).toBe(30_000)
})

story('transfers pay installments by reference: in parts, early, in excess', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const from_iban = borrower.account_number
  const loan = await lend(app, borrower, { amount: 30_000, days: 20 })
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = { number_of_installment: 3, period: 'monthly' as const, start_date: '2027-01-29' }
  const { plan } = await planFor(app, case_id, { ...terms, recollection_fees: 300 })
  const [one, two, three] = plan.installments
  await until('2027-01-28')
  await transfer(app, { reference: one!.reference, amount: 4_000, from_iban })
  expect((await installmentsOf(app, plan.id))[0]).toMatchObject({
    status: 'PARTIALLY_PAID',
    paid_amount: 4_000,
  })
  await transfer(app, { reference: plan.reference, amount: one!.amount - 4_000, from_iban })
  let now = await installmentsOf(app, plan.id)
  expect(now.map(i => i.status)).toEqual(['PAID', 'SCHEDULED', 'SCHEDULED'])
  expect(now[0]!.attempts.map(a => a.amount)).toEqual([4_000, one!.amount - 4_000])
  // Paying a day early saves interest, which lowers the last installment.
  expect(now[1]!.due_amount).toBe(two!.amount)
  expect(now[2]!.due_amount).toBeLessThan(three!.amount)
  await until('2027-02-10')
  // 5,000 beyond the second installment lowers the last one.
  await transfer(app, { reference: two!.reference, amount: two!.amount + 5_000, from_iban })
  now = await installmentsOf(app, plan.id)
  expect(now.map(i => i.status)).toEqual(['PAID', 'PAID', 'SCHEDULED'])
  expect(now[2]!.due_amount).toBeLessThan(three!.amount - 5_000)
  await until('2027-02-20')
  const { data: before } = await app.client.listPayments({ payment_type: ['REFUND'] })
  // Paying the last installment early saves interest, and the surplus is refunded.
  await transfer(app, { reference: three!.reference, amount: three!.amount, from_iban })
  expect(await planOf(app, plan.id)).toMatchObject({ status: 'COMPLETED' })
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
  const { data: after } = await app.client.listPayments({ payment_type: ['REFUND'] })
  expect(after.length).toBe(before.length + 1)
})

story('money for the whole plan pays its fees too, whichever installment it is for', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const from_iban = borrower.account_number
  const loan = await lend(app, borrower, { amount: 30_000, days: 20 })
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = { number_of_installment: 3, period: 'monthly' as const, start_date: '2027-01-29' }
  const { plan } = await planFor(app, case_id, { ...terms, recollection_fees: 300 })
  const [one, two, three] = plan.installments
  await until('2027-01-29')
  await transfer(app, { reference: one!.reference, amount: one!.amount + two!.amount, from_iban })
  await transfer(app, { reference: three!.reference, amount: three!.amount, from_iban })
  expect(await planOf(app, plan.id)).toMatchObject({ status: 'COMPLETED' })
  expect((await installmentsOf(app, plan.id)).map(one => one.status)).toEqual(Array(3).fill('PAID'))
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
  // Only 18 days of interest are owed, so the rest of the plan's estimate is refunded.
  const refunds = (await paymentsOf(app, loan)).filter(p => p.payment_type === 'REFUND')
  const paid = sum(plan.installments)
  const { paid_interests_amount: interest } = await loanOf(app, loan.id)
  expect(sum(refunds)).toBe(paid - 30_000 - 300 - interest!)
})

story('money of a plan repays its other debts before a loan that was written off', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const from_iban = borrower.account_number
  const lost = await lend(app, borrower, { amount: 50_000, days: 30 })
  const other = await lend(app, borrower, { amount: 30_000, days: 30 })
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [lost.id, other.id] })
  const terms = { number_of_installment: 3, period: 'weekly' as const, start_date: '2027-01-18' }
  const { plan } = await planFor(app, case_id, { ...terms, recollection_fees: 600 })
  const [one, two] = plan.installments
  await until('2027-01-18')
  await transfer(app, { reference: one!.reference, amount: one!.amount, from_iban })
  await until('2027-01-20')
  await writeOff(app, lost, '2027-01-20')
  const open = (await installmentsOf(app, plan.id)).slice(1)
  const amount = open.reduce((total, { due_amount }) => total + due_amount, 0)
  await transfer(app, { reference: two!.reference, amount, from_iban })
  expect(await planOf(app, plan.id)).toMatchObject({ status: 'CANCELED' })
  expect(await loanOf(app, other.id)).toMatchObject({ repaid_nominal_amount: 30_000 })
  // The interest saved by paying early recovers a small part of the loss.
  expect((await loanOf(app, lost.id)).recovered_amount).toBeLessThan(500)
})

story('a returned collection counts as never received', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 20_000, days: 30 })
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = { number_of_installment: 2, period: 'weekly' as const, start_date: '2027-01-18' }
  const { plan } = await planFor(app, case_id, { ...terms, recollection_fees: 500 })
  await until('2027-01-26')
  expect((await planOf(app, plan.id)).status).toBe('COMPLETED')
  const [first, last] = plan.installments
  const [debit] = await intentPayments(app, last!.id)
  await returnDebit(app, debit!, { reason_code: 'AM04' })
  const now = await installmentsOf(app, plan.id)
  expect(now.map(i => i.status)).toEqual(['PAID', 'ISSUE_DETECTED'])
  expect(now[1]!.paid_amount).toBe(0)
  expect((await planOf(app, plan.id)).status).toBe('ACTIVE')
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY')
  // The debit is not presented again, but a transfer pays the installment within its grace period.
  const from_iban = borrower.account_number
  await transfer(app, { reference: last!.reference, amount: last!.amount, from_iban })
  expect((await planOf(app, plan.id)).status).toBe('COMPLETED')
  // The transfer is a day late, so one more day of interest is owed and billed.
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY_FEES')
  expect(first!.status).toBe('SCHEDULED')
  await until('2027-02-04')
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
})

story('one of several loans is returned: an instructed debit stays as it is', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loans = [
    await lend(app, borrower, { amount: 20_000, days: 30 }),
    await lend(app, borrower, { amount: 30_000, days: 30 }),
  ]
  const { id: case_id } = await openCase(app, borrower, { loan_ids: loans.map(l => l.id) })
  const terms = { number_of_installment: 3, period: 'weekly' as const, start_date: '2027-01-18' }
  const { plan } = await planFor(app, case_id, { ...terms, recollection_fees: 0 })
  const [one, two] = plan.installments
  await until('2027-01-22')
  const [second] = await intentPayments(app, two!.id)
  expect(second).toMatchObject({ status: 'INSTRUCTED' })
  const [first] = await intentPayments(app, one!.id)
  await returnDebit(app, first!)
  expect(await intentPayments(app, two!.id)).toMatchObject([
    { id: second!.id, status: 'INSTRUCTED', amount: second!.amount },
  ])
  const from_iban = borrower.account_number
  await transfer(app, { reference: one!.reference, amount: one!.amount, from_iban })
  await until('2027-02-02')
  expect((await planOf(app, plan.id)).status).toBe('COMPLETED')
  await until('2027-03-04')
  for (const { id } of loans) expect((await loanOf(app, id)).status).toBe('CLOSED')
})

story('a returned collection that stays unpaid breaks the plan', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 20_000, days: 40 })
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = { number_of_installment: 2, period: 'weekly' as const, start_date: '2027-01-18' }
  const { plan } = await planFor(app, case_id, terms)
  await until('2027-01-19')
  const [debit] = await intentPayments(app, plan.installments[0]!.id)
  await returnDebit(app, debit!)
  await until('2027-01-23')
  expect((await planOf(app, plan.id)).status).toBe('BROKEN')
  const { data } = await app.client.listInstallments({ installment_plan_ids: [plan.id] })
  // The second debit is already at the bank, so it settles and repays principal all the same.
  expect(data.every(one => one.status === 'CANCELED')).toBe(true)
  await until('2027-02-23')
  expect((await loanOf(app, loan.id)).status).not.toBe('TO_REPAY')
})

story('a newer plan replaces an older one; closing the case ends it', async tale => {
  const { app, until } = tale
  const { client } = app
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 20_000, days: 30 })
  const other = await lend(app, borrower, { amount: 10_000, days: 35 })
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id, other.id] })
  const terms = { number_of_installment: 2, period: 'monthly' as const, start_date: '2027-01-29' }
  const older = await planFor(app, case_id, terms)
  const newer = await planFor(app, case_id, { ...terms, number_of_installment: 4 })
  expect((await planOf(app, older.plan.id)).status).toBe('CANCELED')
  expect((await planOf(app, newer.plan.id)).status).toBe('SCHEDULED')
  const { data } = await client.listInstallments({
    loan_ids: [loan.id],
    to_pay_at_gt: '2027-02-01',
  })
  expect(data.map(one => one.status).sort()).toEqual([
    'CANCELED',
    'SCHEDULED',
    'SCHEDULED',
    'SCHEDULED',
  ])
  await client.closeRecollectionCase({ recollection_case_id: case_id, reason: 'sold' })
  expect((await planOf(app, newer.plan.id)).status).toBe('CANCELED')
  for (const one of [loan, other]) {
    const debits = await paymentsOf(app, one)
    expect(debits.at(-1)).toMatchObject({ payment_type: 'REPAYMENT_NOMINAL', status: 'SCHEDULED' })
  }
  await until('2027-02-16')
  expect((await loanOf(app, loan.id)).repaid_nominal_amount).toBe(20_000)
})

story('a bill alone can be repaid by a plan', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-05')
  const [bill] = await billsOf(app, borrower)
  expect(bill).toMatchObject({ status: 'TO_PAY', to_pay_amount: 1_050 })
  const { id: case_id } = await openCase(app, borrower, { bill_ids: [bill!.id] })
  const terms = { number_of_installment: 3, period: 'weekly' as const, start_date: '2027-02-10' }
  const { plan } = await planFor(app, case_id, terms)
  expect(plan.installments.map(one => one.bills)).toEqual(
    Array(3).fill([{ bill_id: bill!.id, amount: 350 }]),
  )
  const from_iban = borrower.account_number
  await transfer(app, { reference: plan.reference, amount: 1_050, from_iban })
  expect((await billsOf(app, borrower))[0]).toMatchObject({ status: 'PAID' })
  expect((await planOf(app, plan.id)).status).toBe('COMPLETED')
  const found = await app.client.getRecollectionCase({ recollection_case_id: case_id })
  expect(found.status).toBe('CLOSED')
  const left = await app.client.getRecollectionCaseDebts({ recollection_case_id: case_id })
  expect(left).toMatchObject({ total: 0, debts: [{ type: 'BILL', status: 'PAID', owed: 0 }] })
})

story('a contractual plan for a bill alone, with fees, amends no agreement', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  const { contract_url } = await loanOf(app, loan.id)
  await until('2027-02-05')
  const [bill] = await billsOf(app, borrower)
  const { id: case_id } = await openCase(app, borrower, { bill_ids: [bill!.id] })
  const terms = { number_of_installment: 2, period: 'weekly' as const, start_date: '2027-02-10' }
  const input = { ...terms, recollection_fees: 901 }
  const { plan } = await planFor(app, case_id, input, { is_contractual: true })
  await app.drain()
  const { rows } = await app.context.database.pool.query(
    `select last_error from jobs where name = 'write_plan_agreement' and data->>'plan_id' = $1`,
    [plan.id],
  )
  expect(rows).toEqual([])
  const documentOf = (url: string | null) => url!.split('?')[0]
  const after = await loanOf(app, loan.id)
  expect(documentOf(after.contract_url)).toBe(documentOf(contract_url))
})
