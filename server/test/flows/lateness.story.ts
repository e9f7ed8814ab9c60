/**
 * Overdue loans and bills: notifications, blocked drawing, and what lifts the block.
 */
import { createClient, type Input } from '@headroom/sdk'
import { expect } from 'vitest'
import { logDueItems } from '../../src/credit/delinquency/index.ts'
import { runPaged } from '../../src/platform/db/slices.ts'
import { day } from '../../src/platform/kit/dates.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { declareInvoice, lendOnInvoices } from '../support/invoice-loans.ts'
import {
  billsOf,
  instructionOf,
  type Loan,
  lend,
  loanOf,
  payIn,
  paymentsOfType,
  returnDebit,
  runSql,
} from '../support/money.ts'
import {
  mailsTo,
  plusDays,
  type ReadyBorrower,
  readyBorrower,
  requestLoan,
} from '../support/story.ts'

const story = calendar('2027-02-01')

async function state({ client }: TestApp, borrower: ReadyBorrower) {
  const { status, status_reason } = await client.getBorrower({ borrower_id: borrower.id })
  const { data } = await client.listBorrowerFinancialProducts({ borrower_id: borrower.id })
  return { status, status_reason, may: data[0]!.can_request_loan }
}

const FREE = { status: 'READY', status_reason: null, may: true }
const LATE = { status: 'BLOCKED', status_reason: 'LATE_REPAYMENT_BORROWER', may: false }

/** The number of Loan.OVERDUE events about a loan in the feed of version 2023-09. */
async function overdues({ base_url, key }: TestApp, { id }: Loan): Promise<number> {
  const old = createClient({ base_url, key, version: '2023-09' })
  const { data } = await old.listWebhookEvents({ type: ['Loan.OVERDUE'], page_size: 500 })
  return data.filter(event => (event.data as Loan).id === id).length
}

story(
  'an overdue loan triggers reminders, blocks on day 5, and unblocks when paid',
  async ({ app, until }) => {
    const borrower = await readyBorrower(app, 'SCT')
    const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
    const due = loan.to_repay_at.slice(0, 10)
    await until(due)
    expect(await overdues(app, loan)).toBe(0)
    const fallen = {
      event_type: 'LOAN_PRINCIPAL_FALLEN_DUE',
      event_payload: { principal_amount: 100_000, fees_amount: null },
    }
    const result = await app.client.listEvents({ loan_id: [loan.id] })
    expect(result.data[0]).toMatchObject(fallen)
    // The run of an interrupted day may be repeated, and reports nothing twice.
    await runPaged(app.context.database, logDueItems(day(due)))
    expect((await app.client.listEvents({ loan_id: [loan.id] })).count).toBe(result.count)
    await until(plusDays(due, 1))
    expect(await overdues(app, loan)).toBe(1)
    const { data: log } = await app.client.listEvents({ loan_id: [loan.id] })
    expect(log[0]).toMatchObject({
      event_type: 'LOAN_PRINCIPAL_FALLEN_LATE',
      event_payload: { principal_amount: 100_000 },
    })
    expect(await mailsTo(app, borrower, /est en retard/)).toHaveLength(1)
    await until(plusDays(due, 4))
    expect(await state(app, borrower)).toEqual(FREE)
    await until(plusDays(due, 5))
    expect(await state(app, borrower)).toEqual(LATE)
    const mails = await mailsTo(app, borrower, /est en retard/)
    expect(mails).toHaveLength(2)
    expect(mails[1]!.text).toContain('5 jours')
    const refused = await requestLoan(app, borrower, { amount: 5_000 })
    expect(refused).toMatchObject({ status: 'DECLINED', denial_reason: 'LATE_REPAYMENT_BORROWER' })
    await until(plusDays(due, 10))
    expect(await mailsTo(app, borrower, /est en retard/)).toHaveLength(3)
    expect(await overdues(app, loan)).toBe(1)
    await payIn(app, { to: loan, amount: 100_000 })
    expect(await state(app, borrower)).toEqual(FREE)
    await until(plusDays(due, 20))
    expect(await mailsTo(app, borrower, /est en retard/)).toHaveLength(3)
  },
)

story('a return reported late blocks and reminds once, on that day', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  const due = loan.to_repay_at.slice(0, 10)
  await until(plusDays(due, 7))
  expect(await mailsTo(app, borrower, /est en retard/)).toEqual([])
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await returnDebit(app, debit!)
  expect(await state(app, borrower)).toEqual(LATE)
  const [mail, ...more] = await mailsTo(app, borrower, /est en retard/)
  expect(mail!.text).toContain('7 jours')
  expect(more).toEqual([])
  await until(plusDays(due, 9))
  expect(await mailsTo(app, borrower, /est en retard/)).toHaveLength(1)
  await until(plusDays(due, 10))
  expect(await mailsTo(app, borrower, /est en retard/)).toHaveLength(2)
})

story(
  'a loan shorter than its debit notice is not overdue before the debit',
  async ({ app, until }) => {
    const borrower = await readyBorrower(app)
    const loan = await lend(app, borrower, { amount: 100_000, days: 1 })
    const paid = loan.paid_at!.slice(0, 10)
    await until(plusDays(paid, 2))
    expect(await mailsTo(app, borrower, /est en retard/)).toEqual([])
    expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY_FEES')
  },
)

story('days past due follow the postponed date', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  const due = loan.to_repay_at.slice(0, 10)
  await until(plusDays(due, 6))
  expect(await state(app, borrower)).toEqual(LATE)
  await app.client.changeLoan({ loan_id: loan.id, to_repay_at: plusDays(due, 20) })
  await app.drain()
  expect(await state(app, borrower)).toEqual(FREE)
  await until(plusDays(due, 25))
  expect(await state(app, borrower)).toEqual(LATE)
})

story('a bill unpaid for seven days blocks until it is paid', async ({ app, until }) => {
  const longer = `update products set bill_grace_days = 9
    where product_type = 'INVOICE_BASED_FINANCING'`
  await runSql(app, longer, [])
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-03-03')
  const [bill] = await billsOf(app, borrower)
  expect(bill).toMatchObject({ status: 'PAID' })
  await until('2027-03-05')
  await returnDebit(app, bill!.payment)
  await until('2027-03-09')
  expect(await state(app, borrower)).toEqual(FREE)
  await until('2027-03-10')
  expect(await state(app, borrower)).toEqual({
    status: 'BLOCKED',
    status_reason: 'RECENT_DEBT_ARREARS_KO',
    may: false,
  })
  const reference = bill!.payment.from_references[0]!
  await payIn(app, { to: loan, amount: bill!.to_pay_amount, reference })
  expect(await state(app, borrower)).toEqual(FREE)
})

story(
  'a bill for several products has the longest of their grace periods',
  async ({ app, until }) => {
    const borrower = await readyBorrower(app, 'SCT')
    const { id: invoice_id } = await declareInvoice(app, borrower, 'Rechnung')
    await lendOnInvoices(app, borrower, invoice_id)
    await lend(app, borrower, { amount: 20_000, days: 40 })
    // Invoice loans have the longest grace period, nine days.
    await until('2027-03-11')
    expect(await billsOf(app, borrower)).toMatchObject([{ status: 'TO_PAY' }])
    expect(await state(app, borrower)).toEqual(FREE)
    await until('2027-03-12')
    expect((await state(app, borrower)).status_reason).toBe('RECENT_DEBT_ARREARS_KO')
  },
)

story('a debit planned after a loan is overdue does not lift the block', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  const due = loan.to_repay_at.slice(0, 10)
  await until(plusDays(due, -1))
  const debits = () => paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  const { id: instruction_id } = await instructionOf(app, (await debits())[0]!)
  await app.client.rejectSandboxInstruction({ instruction_id, reason_code: 'AM04' })
  await until(plusDays(due, 6))
  expect(await state(app, borrower)).toEqual(LATE)
  for (const repayment_method of ['SCT', 'DIRECT_DEBIT'] as const) {
    await app.client.changeLoan({ loan_id: loan.id, repayment_method })
  }
  await app.drain()
  const failed = { status: 'FAILED' }
  expect(await debits()).toMatchObject([failed, { status: 'SCHEDULED' }])
  expect(await state(app, borrower)).toEqual(LATE)
  const refused = await requestLoan(app, borrower, { amount: 5_000 })
  expect(refused).toMatchObject({ status: 'DECLINED' })
  await until(plusDays(due, 10))
  expect(await overdues(app, loan)).toBe(1)
  expect(await mailsTo(app, borrower, /est en retard/)).toHaveLength(3)
  await until(plusDays(due, 11))
  expect(await debits()).toMatchObject([failed, { status: 'PAID' }])
  expect(await state(app, borrower)).toEqual(FREE)
})

story('with a debit planned by the due date it is not overdue', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  const due = loan.to_repay_at.slice(0, 10)
  const to = (repayment_method: 'SCT' | 'DIRECT_DEBIT') =>
    app.client.changeLoan({ loan_id: loan.id, repayment_method })
  await to('SCT')
  await until(due)
  await to('DIRECT_DEBIT')
  await until(plusDays(due, 4))
  expect(await overdues(app, loan)).toBe(0)
  await until(plusDays(due, 5))
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY_FEES')
})

story('a debit of a bill that already blocks does not lift the block', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-02-08')
  await payIn(app, { to: loan, amount: 100_000 })
  await until('2027-03-10')
  const { bank_identifier } = await app.client.generateSandboxBusiness({})
  await app.client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'DIRECT_DEBIT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: true,
    from_account: { account_number: borrower.account_number, bank_identifier },
  })
  await app.drain()
  const debit = { payment_method: 'DIRECT_DEBIT' }
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'TO_PAY', payment: debit }])
  await until('2027-03-12')
  expect(await state(app, borrower)).toMatchObject({ status: 'BLOCKED', may: false })
  await until('2027-03-15')
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'PAID', payment: debit }])
  expect(await state(app, borrower)).toEqual(FREE)
})

story('the borrower is mailed about its loan in its language', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'DEU')
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  const due = loan.to_repay_at.slice(0, 10)
  await until(plusDays(due, 1))
  const mine = await mailsTo(app, borrower, /./)
  const subjects = mine.map(mail => mail.subject.replace(/RF\w+/, 'RF'))
  expect(subjects).toEqual([
    'Ihr Kredit RF ist bewilligt',
    'Ihr Kredit RF ist ausgezahlt',
    'Ihr Kredit RF wird eingezogen',
    'Ihr Kredit RF ist zurückgezahlt',
  ])
})

story('a postponed overdue loan is not listed as overdue until it is overdue again', async tale => {
  const { app, until } = tale
  const { base_url, key } = app
  const old = createClient({ base_url, key, version: '2023-09' })
  const borrower = await readyBorrower(app)
  const other = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  const still = await lend(app, other, { amount: 100_000, days: 10 })
  const about = { borrower: [borrower.identifier, other.identifier] }
  const listed = async (more: object) => {
    const requested = { status: ['OVERDUE'], page_size: 500, ...more }
    return (await old.listLoans(requested as Input<'listLoans'>)).data.map(one => one.id)
  }
  await until('2027-02-12')
  for (const one of [loan, still]) {
    const [debit] = await paymentsOfType(app, one, 'REPAYMENT_NOMINAL')
    await returnDebit(app, debit!)
  }
  await until('2027-02-13')
  expect(await listed(about)).toEqual([still.id, loan.id])
  // The new due date is a Saturday, so the loan is collected on Monday and overdue from Tuesday.
  await app.client.changeLoan({ loan_id: loan.id, to_repay_at: '2027-02-20' })
  await until('2027-02-21')
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY')
  expect(await listed(about)).toEqual([still.id])
  expect(await listed({ id: [loan.id, still.id] })).toEqual([still.id])
  expect(await listed({})).not.toContain(loan.id)
  expect(await listed({ ...about, status: ['OVERDUE', 'TO_REPAY'] })).toEqual([still.id, loan.id])
  const mixed = await listed({ status: ['CLOSED', 'OVERDUE', 'CANCELED'] })
  expect(mixed).toContain(still.id)
  expect(mixed).not.toContain(loan.id)
  // The new debit is returned too, so the loan is overdue again.
  await until('2027-02-23')
  const debit = (await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).at(-1)
  await returnDebit(app, debit!)
  expect(await listed(about)).toEqual([still.id, loan.id])
})
