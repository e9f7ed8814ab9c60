/** A payout's outcomes at the bank, and the credit it reserves. */
import { expect } from 'vitest'
import { cancelFailedPayout, payAgain } from '../../src/credit/loans/index.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import {
  billsOf,
  booksOf,
  instructionOf,
  lend,
  lineOf,
  loanOf,
  payIn,
  paymentsOfType,
  returnDebit,
} from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { installmentsOf, openCase, planFor } from '../support/recollection.ts'
import { type ReadyBorrower, readyBorrower, requestLoan } from '../support/story.ts'

const story = calendar('2027-01-14')

type Scenario = 'CANCEL' | 'FAIL' | 'REJECT' | 'SUCCESS' | 'SUCCESS_ONE_DAY_LATER'

async function lendTo(app: TestApp, borrower: ReadyBorrower, scenario: Scenario) {
  const { iban } = await app.client.generateSandboxIban({ scenario })
  const input = { amount: 100_000, days: 15 }
  const { id } = await requestLoan(app, { ...borrower, account_number: iban }, input)
  await app.drain()
  return loanOf(app, id)
}

const HELD = { balance_available: 4_900_000 }
const FREE = { balance_available: 5_000_000 }

story('SUCCESS: paid on the day, with interest from that day', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lendTo(app, borrower, 'SUCCESS')
  expect(loan).toMatchObject({ status: 'TO_REPAY', paid_at: '2027-01-14T00:00:00Z' })
  expect(await lineOf(app, borrower)).toMatchObject({ ...HELD, balance_pending: 0 })
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  expect(payout).toMatchObject({
    status: 'PAID',
    amount: 100_000,
    to_account_details: { account_number: loan.loan_to.account_number },
  })
  await until('2027-01-16')
  expect((await loanOf(app, loan.id)).fees_ongoing).toBe(100)
})

story('SUCCESS on a closed day', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  await until('2027-01-17')
  const loan = await lendTo(app, borrower, 'SUCCESS')
  expect(loan).toMatchObject({ status: 'TO_REPAY', paid_at: '2027-01-17T00:00:00Z' })
})

story('SUCCESS_ONE_DAY_LATER: interest from the day it arrives', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  await until('2027-01-15')
  const loan = await lendTo(app, borrower, 'SUCCESS_ONE_DAY_LATER')
  expect(loan).toMatchObject({ status: 'INITIATED', paid_at: null, fees_ongoing: 0 })
  expect(await lineOf(app, borrower)).toMatchObject({ ...HELD, balance_pending: 100_000 })
  // Friday's payout arrives on Monday.
  await until('2027-01-18')
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    paid_at: '2027-01-18T00:00:00Z',
    fees_ongoing: 0,
  })
  expect(await lineOf(app, borrower)).toMatchObject({ ...HELD, balance_pending: 0 })
})

story('REJECT: declined on request, nothing reserved', async ({ app }) => {
  const borrower = await readyBorrower(app)
  const loan = await lendTo(app, borrower, 'REJECT')
  expect(loan).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'UNAUTHORIZED_LOAN_PAYMENT_ACCOUNT',
  })
  expect(await lineOf(app, borrower)).toMatchObject(FREE)
})

story('FAIL: the payment fails, the credit stays reserved', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lendTo(app, borrower, 'FAIL')
  expect(loan.status).toBe('ISSUE_DETECTED')
  expect(await paymentsOfType(app, loan, 'LOAN_PAYMENT')).toMatchObject([{ status: 'FAILED' }])
  await until('2027-01-18')
  expect((await loanOf(app, loan.id)).status).toBe('ISSUE_DETECTED')
  expect(await lineOf(app, borrower)).toMatchObject({ ...HELD, balance_pending: 100_000 })
})

story('FAIL after a partial prepayment: refunded to its payer', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const { iban } = await app.client.generateSandboxIban({ scenario: 'FAIL' })
  const { id } = await app.client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: 100_000,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: iban },
    to_pay_at: '2027-01-18',
    to_repay_at: '2027-01-28',
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
  })
  await app.drain()
  const loan = await loanOf(app, id)
  await payIn(app, { to: loan, amount: 40_000, from_iban: borrower.account_number })
  expect(await paymentsOfType(app, loan, 'REFUND')).toEqual([])
  await until('2027-01-18')
  expect((await loanOf(app, id)).status).toBe('ISSUE_DETECTED')
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([
    { status: 'SCHEDULED', amount: 40_000, scheduled_at: '2027-01-19T00:00:00Z' },
  ])
  await until('2027-01-19')
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([{ status: 'PAID' }])
  expect(await lineOf(app, borrower)).toMatchObject({ ...HELD, balance_pending: 100_000 })
})

story('CANCEL: payment and loan are canceled, the reserved credit is released', async ({ app }) => {
  const borrower = await readyBorrower(app)
  const loan = await lendTo(app, borrower, 'CANCEL')
  expect(loan.status).toBe('CANCELED')
  expect(await paymentsOfType(app, loan, 'LOAN_PAYMENT')).toMatchObject([{ status: 'CANCELED' }])
  expect(await lineOf(app, borrower)).toMatchObject(FREE)
  const { data: log } = await app.client.listEvents({ loan_id: [loan.id] })
  expect(log.map(entry => entry.event_type)).toEqual(['LOAN_CANCELED', 'LOAN_VALIDATED'])
})

story('returned: as if never paid, its debit canceled, its credit reserved', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-01-18')
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await returnDebit(app, payout!)
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'ISSUE_DETECTED',
    paid_at: null,
    fees_ongoing: 0,
  })
  expect(await paymentsOfType(app, loan, 'RETURNED')).toMatchObject([
    { status: 'PAID', amount: 100_000, charged_back_payment_id: payout!.id },
  ])
  expect(await lineOf(app, borrower)).toMatchObject({ ...HELD, balance_pending: 100_000 })
  expect(await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).toMatchObject([
    { status: 'CANCELED' },
  ])
  await until('2027-02-01')
  expect(await billsOf(app, borrower)).toEqual([])
})

story('returned while its debit is at the bank: the debit is recalled', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 6 })
  await until('2027-01-18')
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await returnDebit(app, payout!)
  const debits = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(debits).toMatchObject([{ status: 'CANCELED' }])
  expect((await instructionOf(app, debits[0]!)).status).toBe('CANCELED')
})

story('returned after a partial repayment: refunded to its payer', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await payIn(app, { to: loan, amount: 30_000 })
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await returnDebit(app, payout!)
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED', repaid_amount: 0 })
  await until('2027-01-15')
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([
    { status: 'PAID', amount: 30_000 },
  ])
})

story('returned after full repayment: refunded to its payer', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await payIn(app, { to: loan, amount: 100_000 })
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await returnDebit(app, payout!)
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED', closed_at: null })
  await until('2027-01-15')
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([
    { status: 'PAID', amount: 100_000 },
  ])
})

story('returned after a bill: the billed interest is credited', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-02')
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'TO_PAY', to_pay_amount: 900 }])
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await returnDebit(app, payout!)
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED', fees_ongoing: 0 })
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'PAID' }])
  await until('2027-03-01')
  const bills = await billsOf(app, borrower)
  expect(bills.flatMap(b => b.lines).map(line => line.amount)).toEqual([900, -900])
})

story('returned after an overpaid bill, then paid again: no surplus remains', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 400_000, days: 45 })
  await until('2027-01-17')
  await payIn(app, { to: loan, amount: 390_000 })
  await until('2027-02-03')
  const [bill] = await billsOf(app, borrower)
  // Interest for three days on the full amount and for fifteen on the remaining 10,000.
  expect(bill).toMatchObject({ to_pay_amount: 675 })
  const reference = bill!.payment!.to_references[0]!
  await payIn(app, { to: loan, amount: 675, reference })
  await until('2027-02-09')
  // With this backdated payment, the first transfer closes the loan on the 17th, so 411 of that
  // transfer and 589 of the bill's payment are refunded.
  await payIn(app, { to: loan, amount: 11_000, value_date: '2027-01-15' })
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
  await until('2027-02-12')
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await returnDebit(app, payout!)
  await until('2027-02-16')
  const by = await createOperatorId(app)
  await asOperator(app, tx => payAgain(tx.as(by), loan.id, app.context.ports.bank))
  await until('2027-02-18')
  // The bill's payment counts until the bill is credited.
  const again = { status: 'TO_REPAY', repaid_nominal_amount: 0, paid_interests_amount: 675 }
  expect(await loanOf(app, loan.id)).toMatchObject(again)
  expect(await booksOf(app, loan)).toMatchObject({ loan_principal: 400_000 })
})

story('returned twice: only refunded money does not count as repayment', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 300_000, days: 45 })
  const by = await createOperatorId(app)
  const again = async () => {
    const payout = (await paymentsOfType(app, loan, 'LOAN_PAYMENT')).at(-1)
    await returnDebit(app, payout!)
    return () => asOperator(app, tx => payAgain(tx.as(by), loan.id, app.context.ports.bank))
  }
  await until('2027-01-18')
  await payIn(app, { to: loan, amount: 100_000 })
  const first = await again()
  await until('2027-01-20')
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([{ status: 'PAID' }])
  await first()
  await until('2027-01-22')
  await payIn(app, { to: loan, amount: 50_000 })
  // The loan is paid out again before the second refund leaves, so the 50,000 repay the loan.
  await (await again())()
  await until('2027-01-26')
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    repaid_nominal_amount: 50_000,
  })
  expect(await booksOf(app, loan)).toMatchObject({ loan_principal: 250_000 })
})

story('returned while its bill is unpaid: the bill is void', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-02')
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await returnDebit(app, payout!)
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED', fees_ongoing: 0 })
  await until('2027-03-01')
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'INVALID', to_pay_amount: 900 }])
})

story("a returned payout ends its loan's plan and the plan's fees", async tale => {
  const { app, until } = tale
  const { client } = app
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 40_000, days: 20 })
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = { number_of_installment: 2, period: 'weekly' as const, start_date: '2027-01-21' }
  const { plan } = await planFor(app, case_id, { ...terms, recollection_fees: 100 })
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await returnDebit(app, payout!)
  const { status } = await client.getInstallmentPlan({ installment_plan_id: plan.id })
  expect(status).toBe('CANCELED')
  expect((await installmentsOf(app, plan.id)).map(one => one.status)).toEqual([
    'CANCELED',
    'CANCELED',
  ])
  // After a second payout, the loan is collected on its own due date.
  const by = await createOperatorId(app)
  await asOperator(app, tx => payAgain(tx.as(by), loan.id, app.context.ports.bank))
  await until('2027-02-04')
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_nominal_amount: 40_000 })
})

story('a loan canceled after its payout was returned: its case closes', async ({ app }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 20_000, days: 30 })
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await returnDebit(app, payout!, { reason_code: 'AC04' })
  const caseNow = () => app.client.getRecollectionCase({ recollection_case_id: id })
  // The case stays open, because the loan may be paid out again.
  expect((await caseNow()).status).toBe('OPEN')
  const by = await createOperatorId(app)
  await asOperator(app, tx => cancelFailedPayout(tx.as(by), loan.id))
  expect((await loanOf(app, loan.id)).status).toBe('CANCELED')
  expect(await caseNow()).toMatchObject({
    status: 'CLOSED',
    close_reason: 'Nothing is lent any more.',
  })
})
