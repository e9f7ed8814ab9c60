/** Reminders, blocks and debits of overdue borrowers while they repay by a plan. */
import { expect } from 'vitest'
import { transaction } from '../../src/platform/db/transaction.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import {
  billsOf,
  debitOf,
  instructionOf,
  lend,
  lendInParts,
  loanOf,
  paymentsOf,
  returnDebit,
} from '../support/money.ts'
import { agree, asSecondPartner } from '../support/partner-terms.ts'
import { installmentsOf, openCase, planFor, transfer } from '../support/recollection.ts'
import { mailsTo, type ReadyBorrower, readyBorrower, requestLoan } from '../support/story.ts'

const story = calendar('2027-01-11')
const WEEKLY = { period: 'weekly' as const }

async function state({ client }: TestApp, borrower: ReadyBorrower) {
  const { status, status_reason } = await client.getBorrower({ borrower_id: borrower.id })
  return [status, status_reason]
}

const LATE = ['BLOCKED', 'LATE_REPAYMENT_BORROWER']

async function reminders(app: TestApp, borrower: ReadyBorrower): Promise<number> {
  return (await mailsTo(app, borrower, /est en retard/)).length
}

/** The due date from which a loan's days past due count. */
async function lateOn({ context }: TestApp, loan: { id: string }): Promise<string | null> {
  return transaction(context.database, { partners: '*', read_only: true }, async tx => {
    const { rows } = await tx.raw(
      'select coalesce(l.plan_due_on, l.due_on)::text as on from loans l where id = $1',
      [loan.id],
    )
    return rows[0].on
  })
}

async function planStatus({ client }: TestApp, installment_plan_id: string) {
  return (await client.getInstallmentPlan({ installment_plan_id })).status
}

async function caseStatus({ client }: TestApp, recollection_case_id: string) {
  return (await client.getRecollectionCase({ recollection_case_id })).status
}

story(
  'soft: overdue by its own due date, reminded of its installments; all is due once it breaks',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app, 'SCT')
    const from_iban = borrower.account_number
    const loan = await lend(app, borrower, { amount: 90_000, days: 9 })
    await until('2027-01-26')
    expect(await state(app, borrower)).toEqual(LATE)
    expect(await reminders(app, borrower)).toBe(2)
    const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
    const terms = { number_of_installment: 3, ...WEEKLY, start_date: '2027-01-28' }
    const { plan } = await planFor(app, id, { ...terms, repayment_method: 'SCT' })
    const [one, two] = plan.installments
    await until('2027-01-28')
    await transfer(app, { reference: one!.reference, amount: one!.amount, from_iban })
    await until('2027-02-04')
    await transfer(app, { reference: two!.reference, amount: two!.amount, from_iban })
    expect(await lateOn(app, loan)).toBe('2027-01-20')
    expect(await state(app, borrower)).toEqual(LATE)
    const refused = await requestLoan(app, borrower, { amount: 5_000 })
    expect(refused).toMatchObject({ status: 'DECLINED', denial_reason: 'LATE_REPAYMENT_BORROWER' })
    // The third installment, due on 11 February, stays unpaid. Five days later the plan breaks.
    await until('2027-02-11')
    expect(await reminders(app, borrower)).toBe(2)
    await until('2027-02-15')
    expect(await reminders(app, borrower)).toBe(3)
    expect(await planStatus(app, plan.id)).toBe('ACTIVE')
    const [bill] = await billsOf(app, borrower)
    expect(bill).toMatchObject({ status: 'TO_PAY' })
    await until('2027-02-16')
    expect(await planStatus(app, plan.id)).toBe('BROKEN')
    expect(await caseStatus(app, id)).toBe('OPEN')
    const left = await loanOf(app, loan.id)
    expect(left.status).toBe('TO_REPAY')
    const owed = left.amount - left.repaid_nominal_amount + left.fees_ongoing!
    await transfer(app, {
      reference: left.repayment_to_references[0]!,
      from_iban,
      amount: owed - left.paid_interests_amount,
    })
    expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
    expect(await state(app, borrower)).toEqual(['READY', null])
    expect(await caseStatus(app, id)).toBe('CLOSED')
  },
)

story('contractual: overdue by its installments, and drawing stays blocked', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const from_iban = borrower.account_number
  const loan = await lend(app, borrower, { amount: 90_000, days: 9 })
  await until('2027-01-26')
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = { number_of_installment: 3, ...WEEKLY, start_date: '2027-02-01' }
  const { plan } = await planFor(
    app,
    id,
    { ...terms, repayment_method: 'SCT' },
    { is_contractual: true },
  )
  const [one, two] = plan.installments
  expect(await lateOn(app, loan)).toBe('2027-02-01')
  expect(await state(app, borrower)).toEqual(LATE)
  await until('2027-02-01')
  await transfer(app, { reference: one!.reference, amount: one!.amount, from_iban })
  expect(await lateOn(app, loan)).toBe('2027-02-08')
  const before = await reminders(app, borrower)
  await until('2027-02-10')
  expect(await state(app, borrower)).toEqual(LATE)
  // The second installment is paid two days past due, within its grace period.
  await transfer(app, { reference: two!.reference, amount: two!.amount, from_iban })
  expect(await lateOn(app, loan)).toBe('2027-02-15')
  expect(await planStatus(app, plan.id)).toBe('ACTIVE')
  await until('2027-02-15')
  const open = (await installmentsOf(app, plan.id))[2]!
  await transfer(app, { reference: plan.reference, amount: open.due_amount, from_iban })
  expect(await planStatus(app, plan.id)).toBe('COMPLETED')
  expect(await reminders(app, borrower)).toBeLessThanOrEqual(before + 1)
  await until('2027-03-04')
  const rest = (await billsOf(app, borrower)).filter(bill => bill.status === 'TO_PAY')
  for (const bill of rest) {
    const [reference] = bill.payment.to_references
    await transfer(app, { reference: reference!, amount: bill.to_pay_amount, from_iban })
  }
  expect(await caseStatus(app, id)).toBe('CLOSED')
  expect(await state(app, borrower)).toEqual(['READY', null])
})

story('bill debits pause during a plan and are planned again when it breaks', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 50_000, days: 40 })
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = { number_of_installment: 2, period: 'monthly' as const, start_date: '2027-02-08' }
  const { plan } = await planFor(app, id, { ...terms, repayment_method: 'SCT' })
  const debitsOf = async (bill: { id: string }) =>
    (await app.client.listPayments({ payment_type: ['REPAYMENT_FEES'] })).data.filter(p =>
      p.related_to.bills.some(b => b.bill_id === bill.id),
    )
  await until('2027-02-12')
  const [bill] = await billsOf(app, borrower)
  expect(bill!.status).toBe('TO_PAY')
  expect(await debitsOf(bill!)).toEqual([])
  // The bill is nine days past due, but the plan keeps the borrower from being blocked.
  expect(await state(app, borrower)).toEqual(['READY', null])
  await until('2027-02-13')
  expect(await planStatus(app, plan.id)).toBe('BROKEN')
  expect(await debitsOf(bill!)).toMatchObject([{ payment_method: 'DIRECT_DEBIT' }])
  await until('2027-02-27')
  expect((await billsOf(app, borrower))[0]!.status).toBe('PAID')
  expect((await loanOf(app, loan.id)).repaid_nominal_amount).toBe(50_000)
})

story('a case closed by repayment reopens when the payment is returned', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 20_000, days: 30 })
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = { number_of_installment: 2, ...WEEKLY, start_date: '2027-01-18' }
  const { plan } = await planFor(app, id, terms)
  await until('2027-01-26')
  expect(await planStatus(app, plan.id)).toBe('COMPLETED')
  expect(await caseStatus(app, id)).toBe('CLOSED')
  const { data } = await app.client.listPayments({
    payment_intent_id: [plan.installments[1]!.id],
  })
  await returnDebit(app, data[0]!)
  expect(await planStatus(app, plan.id)).toBe('ACTIVE')
  const again = await app.client.getRecollectionCase({ recollection_case_id: id })
  expect(again).toMatchObject({
    status: 'OPEN',
    closed_at: null,
    close_reason: null,
    strategies: [{ is_active: true }],
  })
  // The case is open again, and a loan is in at most one open case.
  const second = openCase(app, borrower, { loan_ids: [loan.id] })
  await expect(second).rejects.toMatchObject({ code: 'case_exists' })
  await app.client.closeRecollectionCase({ recollection_case_id: id, reason: 'by hand' })
  // A case that the partner has closed stays closed when a payment is refunded.
  await until('2027-02-22')
  const debits = (await paymentsOf(app, loan)).filter(p => p.status === 'PAID')
  const last = await instructionOf(app, debits.findLast(p => p.payment_method === 'DIRECT_DEBIT')!)
  await app.client.refundSandboxInstruction({ instruction_id: last.id })
  await app.drain()
  expect((await loanOf(app, loan.id)).status).not.toBe('CLOSED')
  expect(await caseStatus(app, id)).toBe('CLOSED')
})

story('a newer plan recalls instructed debits, and books those that settle anyway', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 30_000, days: 30 })
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = { number_of_installment: 2, ...WEEKLY, start_date: '2027-01-18' }
  const older = await planFor(app, id, { ...terms, recollection_fees: 400 })
  // Monday's debit is instructed two banking days ahead, so on Friday the bank has it.
  await until('2027-01-15')
  const frozen = async () => {
    const { data } = await app.client.listPayments({
      payment_intent_id: [older.plan.installments[0]!.id],
    })
    return data[0]!
  }
  expect((await frozen()).status).toBe('INSTRUCTED')
  const newer = await planFor(app, id, { ...terms, start_date: '2027-01-25' })
  expect(await planStatus(app, older.plan.id)).toBe('CANCELED')
  expect(['CANCELED', 'INSTRUCTED']).toContain((await frozen()).status)
  await until('2027-02-03')
  expect(await planStatus(app, newer.plan.id)).toBe('COMPLETED')
  const after = await loanOf(app, loan.id)
  expect(after.repaid_nominal_amount).toBe(30_000)
  // Both plans' debits may settle, but refunds never exceed the money collected.
  const money = (await paymentsOf(app, loan)).filter(p => p.status === 'PAID')
  const total = (types: string[]) =>
    money.filter(p => types.includes(p.payment_type)).reduce((sum, p) => sum + p.amount, 0)
  expect(total(['REFUND'])).toBeLessThanOrEqual(total(['REPAYMENT_FULL', 'REPAYMENT_NOMINAL']))
})

story('fees are paid to the partner only once their collection cannot be returned', async tale => {
  const { until } = tale
  const app = asSecondPartner(tale.app)
  await agree(app, {})
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 20_000, days: 30 })
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = { number_of_installment: 1, ...WEEKLY, start_date: '2027-01-18' }
  const { plan } = await planFor(app, id, { ...terms, recollection_fees: 700 })
  const paidOut = async () =>
    (await app.client.listPayments({ payment_type: ['REVENUE_SHARE'] })).data
  // Monday's debit is returned while it still can be, and within the installment's grace period.
  await until('2027-01-22')
  expect(await planStatus(app, plan.id)).toBe('COMPLETED')
  expect(await paidOut()).toEqual([])
  const { data } = await app.client.listPayments({
    payment_intent_id: [plan.installments[0]!.id],
  })
  await returnDebit(app, data[0]!)
  expect(await planStatus(app, plan.id)).toBe('ACTIVE')
  const from_iban = borrower.account_number
  await transfer(app, {
    reference: plan.reference,
    amount: plan.installments[0]!.amount,
    from_iban,
  })
  await until('2027-01-30')
  const shares = await paidOut()
  expect(shares.reduce((sum, one) => sum + one.amount, 0)).toBe(700)
})

story('a wallet is debited for the installments on the day itself', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const { account_number } = await app.client.openWallet({ borrower_id: borrower.id })
  await app.client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'P2P',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  })
  const topUp = (amount: number) =>
    app.client.createSandboxIncomingTransfer({ to_iban: account_number, amount })
  const loan = await lend(app, borrower, { amount: 20_000, days: 30 })
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  // The plan uses the main method, P2P, which needs no notice.
  const terms = { number_of_installment: 3, ...WEEKLY, start_date: '2027-01-11' }
  await topUp(7_000)
  const { computed, plan } = await planFor(app, id, terms, { is_contractual: true })
  expect(computed.repayment_method).toBe('P2P')
  const first = (await installmentsOf(app, plan.id))[0]!
  expect(first).toMatchObject({
    status: 'PAID',
    payment_method: 'P2P',
    from_account_detail: { account_number, account_number_type: 'internal_id' },
    attempts: [{ status: 'PAID', payment_method: 'P2P' }],
  })
  // The wallet does not cover the second installment. Its debit fails and is not retried.
  await until('2027-01-19')
  const second = (await installmentsOf(app, plan.id))[1]!
  expect(second).toMatchObject({
    status: 'ISSUE_DETECTED',
    attempts: [{ status: 'FAILED', failure_reason: 'AM04' }],
  })
  const from_iban = borrower.account_number
  await transfer(app, { reference: second.reference, amount: second.due_amount, from_iban })
  await topUp(20_000)
  await until('2027-01-26')
  expect(await planStatus(app, plan.id)).toBe('COMPLETED')
  expect((await loanOf(app, loan.id)).repaid_nominal_amount).toBe(20_000)
})

story(
  'a debit from before the plan is returned: the plan asks for no more, the rest keeps its day',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app)
    const from_iban = borrower.account_number
    const parts = [
      [50_000, 7],
      [50_000, 30],
    ] as const
    const loan = await lendInParts(app, borrower, parts)
    await until('2027-01-19')
    const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
    const terms = { number_of_installment: 2, ...WEEKLY, start_date: '2027-01-25' }
    const { plan } = await planFor(app, id, { ...terms, repayment_method: 'SCT' })
    const amounts = async () => (await installmentsOf(app, plan.id)).map(one => one.due_amount)
    const agreed = await amounts()
    expect(agreed.reduce((sum, cents) => sum + cents, 0)).toBeLessThan(52_000)
    await until('2027-01-21')
    await returnDebit(app, await debitOf(app, loan))
    expect(await amounts()).toEqual(agreed)
    for (const { reference, date } of plan.installments) {
      await until(date.slice(0, 10))
      const open = (await installmentsOf(app, plan.id)).find(one => one.reference === reference)!
      await transfer(app, { reference, amount: open.due_amount, from_iban })
    }
    expect(await planStatus(app, plan.id)).toBe('COMPLETED')
    const left = await loanOf(app, loan.id)
    expect(left).toMatchObject({ status: 'TO_REPAY' })
    // The plan's payments cover the loan's first installment. The second keeps its due date.
    expect(await lateOn(app, loan)).toBe('2027-02-10')
    const pending = (await paymentsOf(app, loan)).filter(one => one.status === 'SCHEDULED')
    const rest = left.amount - left.repaid_nominal_amount
    expect(pending.map(one => [one.amount, one.scheduled_at!.slice(0, 10)])).toEqual([
      [rest, '2027-02-10'],
    ])
    await until('2027-02-11')
    expect(await loanOf(app, loan.id)).toMatchObject({ repaid_nominal_amount: 100_000 })
  },
)

story(
  'soft: a debit of an installment is returned, and its borrower is reminded once',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app)
    const loan = await lend(app, borrower, { amount: 60_000, days: 30 })
    const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
    const terms = { number_of_installment: 3, ...WEEKLY, start_date: '2027-01-18' }
    const { plan } = await planFor(app, id, { ...terms, repayment_method: 'DIRECT_DEBIT' })
    await until('2027-01-20')
    expect(await reminders(app, borrower)).toBe(0)
    const { data } = await app.client.listPayments({
      payment_intent_id: [plan.installments[0]!.id],
    })
    await returnDebit(app, data[0]!, { reason_code: 'AM04' })
    expect(await reminders(app, borrower)).toBe(1)
    await until('2027-01-22')
    expect(await reminders(app, borrower)).toBe(1)
    await until('2027-01-25')
    expect(await planStatus(app, plan.id)).toBe('BROKEN')
  },
)
