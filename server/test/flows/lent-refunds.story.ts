/** Loans whose payout was returned, but whose refund turns out to be principal. */
import { expect } from 'vitest'
import { cancelFailedPayout, payAgain } from '../../src/credit/loans/index.ts'
import type { TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import { invoiceLoan } from '../support/invoice-loans.ts'
import { validInvoice } from '../support/invoices.ts'
import {
  booksOf,
  debitOf,
  instructionOf,
  type Loan,
  lend,
  lendInParts,
  lineOf,
  loanOf,
  payIn,
  paymentsOfType,
  refundDebit,
  returnDebit,
  runSql,
} from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { plusDays, type ReadyBorrower, readyBorrower, today } from '../support/story.ts'
import { writeOff } from '../support/write-offs.ts'

const story = calendar('2027-01-11')

const HELD = { balance_available: 4_700_000 }
const FREE = { balance_available: 5_000_000 }

const refundOf = async (app: TestApp, loan: Loan) => (await paymentsOfType(app, loan, 'REFUND'))[0]!

const payoutOf = async (app: TestApp, loan: Loan) =>
  (await paymentsOfType(app, loan, 'LOAN_PAYMENT')).at(-1)!

const standingOf = async ({ client }: TestApp, { id }: ReadyBorrower) =>
  (await client.getBorrower({ borrower_id: id })).status

/**
 * A loan of €3,000 whose payout was returned after its debit. We refunded the debit, and then the
 * bank refunded it too.
 */
async function reopened({ app, until }: StoryContext, borrower: ReadyBorrower): Promise<Loan> {
  const loan = await lend(app, borrower, { amount: 300_000, days: 10 })
  await until('2027-01-21')
  await returnDebit(app, await payoutOf(app, loan), { reason_code: 'AC04' })
  await until('2027-02-01')
  await refundDebit(app, await debitOf(app, loan))
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY' })
  return loan
}

const NOTHING_LENT = { paid_at: null, reclaimed_refunds_amount: 0, fees_ongoing: 0 }

story('without payout and refund a loan waits for its payout again', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await reopened(tale, borrower)
  await returnDebit(app, await refundOf(app, loan), { reason_code: 'AC04' })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED', ...NOTHING_LENT })
  expect(await booksOf(app, loan)).toEqual({})
  expect(await lineOf(app, borrower)).toMatchObject(HELD)
  // The borrower owes nothing, so it is not blocked.
  await until('2027-02-10')
  expect(await standingOf(app, borrower)).toBe('READY')
})

story('even a repaid loan waits for its payout again; its payer is refunded', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await reopened(tale, borrower)
  await payIn(app, { to: loan, amount: 310_000 })
  await until('2027-02-03')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
  await returnDebit(app, await refundOf(app, loan), { reason_code: 'AC04' })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED', closed_at: null })
  await until('2027-02-05')
  const refunds = await paymentsOfType(app, loan, 'REFUND')
  const paid = refunds.slice(1).reduce((sum, { amount }) => sum + amount, 0)
  expect(paid).toBe(310_000)
})

story('even a loan written off waits for its payout again, and there is no loss', async tale => {
  const { app } = tale
  const borrower = await readyBorrower(app)
  const loan = await reopened(tale, borrower)
  await writeOff(app, loan, '2027-02-01')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
  await returnDebit(app, await refundOf(app, loan), { reason_code: 'AC04' })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'ISSUE_DETECTED',
    written_off_at: null,
    written_off_amount: 0,
  })
})

story('money valued before the refund turns it into a surplus again', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await reopened(tale, borrower)
  await payIn(app, { to: loan, amount: 300_000, value_date: '2027-01-25' })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED', ...NOTHING_LENT })
  await until('2027-02-10')
  expect(await standingOf(app, borrower)).toBe('READY')
})

story('with installments, only the lent refund is debited', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await payingAgain(tale, borrower, [
    [50_000, 10],
    [180_000, 25],
    [70_000, 40],
  ])
  const paid = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await refundDebit(app, paid.find(({ status }) => status === 'PAID')!)
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY' })
  const debits = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  const waiting = debits.filter(({ status }) => status === 'SCHEDULED')
  expect(waiting.map(({ amount }) => amount)).toEqual([50_000])
  await until('2027-03-16')
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_nominal_at: '2027-02-22T00:00:00Z' })
})

type Review = 'REVIEWING' | 'APPROVED'
const review = ({ client }: TestApp, { id }: ReadyBorrower, status: Review) =>
  client.setSandboxKyb({ borrower_id: id, status })

const HALVES = [
  [150_000, 10],
  [150_000, 40],
] as const

/**
 * A loan in installments whose payout was returned after the first debit, which was then refunded.
 * The payout is still to be sent again.
 */
async function payingAgain(
  { app, until }: StoryContext,
  borrower: ReadyBorrower,
  parts: readonly (readonly [amount: number, days: number])[] = HALVES,
): Promise<Loan> {
  const { iban } = await app.client.generateSandboxIban({ scenario: 'SUCCESS_ONE_DAY_LATER' })
  const loan = await lendInParts(app, { ...borrower, account_number: iban }, parts)
  await until('2027-01-22')
  await returnDebit(app, await payoutOf(app, loan), { reason_code: 'AC04' })
  await until('2027-02-02')
  expect(await refundOf(app, loan)).toMatchObject({ status: 'PAID', amount: parts[0]![0] })
  return loan
}

/** Sends the payout again; meanwhile the bank refunds the debit, so our refund of it is lent. */
async function takenBackMeanwhile(app: TestApp, loan: Loan, status: string): Promise<void> {
  const by = await createOperatorId(app)
  await asOperator(app, tx => payAgain(tx.as(by), loan.id, app.context.ports.bank))
  await app.drain()
  await refundDebit(app, await debitOf(app, loan))
  expect(await loanOf(app, loan.id)).toMatchObject({ status, reclaimed_refunds_amount: 150_000 })
}

const LENT = { balance_available: 5_000_000 - 150_000 }

story('a refund lent while a payout waited is owed once the payout is canceled', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await payingAgain(tale, borrower)
  await review(app, borrower, 'REVIEWING')
  await takenBackMeanwhile(app, loan, 'SCHEDULED')
  await app.client.cancelLoan({ loan_id: loan.id })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY' })
  expect(await lineOf(app, borrower)).toMatchObject(LENT)
  await app.drain()
  await review(app, borrower, 'APPROVED')
  await until('2027-02-05')
  // Once the refund is returned as well, nothing is lent, and the loan is canceled.
  await returnDebit(app, await refundOf(app, loan), { reason_code: 'AC04' })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CANCELED', ...NOTHING_LENT })
  expect(await lineOf(app, borrower)).toMatchObject(FREE)
})

story('a refund lent while a payout was in transit is owed once the payout fails', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await payingAgain(tale, borrower)
  await takenBackMeanwhile(app, loan, 'INITIATED')
  const { id: instruction_id } = await instructionOf(app, await payoutOf(app, loan))
  await app.client.rejectSandboxInstruction({ instruction_id, reason_code: 'AC04' })
  await app.drain()
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY' })
  expect(await lineOf(app, borrower)).toMatchObject(LENT)
  await payIn(app, { to: loan, amount: 150_000 })
  await until('2027-03-10')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
})

story('a loan repaid before its payout fails owes only its interest', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await payingAgain(tale, borrower)
  await review(app, borrower, 'REVIEWING')
  await takenBackMeanwhile(app, loan, 'SCHEDULED')
  await payIn(app, { to: loan, amount: 150_000 })
  await app.client.cancelLoan({ loan_id: loan.id })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES' })
  await review(app, borrower, 'APPROVED')
  await until('2027-03-10')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
})

story(
  'a refund lent in addition to the second payout is debited with the first installment',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app)
    const loan = await payingAgain(tale, borrower)
    await takenBackMeanwhile(app, loan, 'INITIATED')
    const { id: instruction_id } = await instructionOf(app, await payoutOf(app, loan))
    await app.client.settleSandboxInstruction({ instruction_id })
    await app.drain()
    const debits = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    const [first, second] = debits.slice(2)
    expect(first).toMatchObject({ status: 'INSTRUCTED', amount: 300_000 })
    expect(second).toMatchObject({ status: 'SCHEDULED', amount: 150_000 })
    // If the debit were only planned, its amount would equal the open part of the installment.
    const set = `update payments set status = $1 where id = $2`
    await runSql(app, set, ['SCHEDULED', first!.id])
    const { findings } = await app.verify()
    expect(findings.filter(({ check }) => check === 'planned_debits')).toEqual([])
    await runSql(app, set, ['INSTRUCTED', first!.id])
    expect(await booksOf(app, loan)).toMatchObject({ loan_principal: 450_000 })
    await until('2027-03-10')
    expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
  },
)

story('a canceled loan finances no invoice, even after a refund has reopened it', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const day = await today(app)
  const invoice = await app.client.createInvoice(
    await validInvoice({
      seller: { identifier: borrower.identifier },
      issued_at: plusDays(day, -5),
      due_at: plusDays(day, 40),
    }),
  )
  const lendOn = async (amount: number) => {
    const now = await today(app)
    const terms = { amount, invoice_ids: [invoice.id], to_repay_at: plusDays(now, 10) }
    const { id, ...loan } = await app.client.createLoan(invoiceLoan(borrower, now, terms))
    expect(loan).toMatchObject({ status: 'VALIDATED', denial_reason: null })
    await app.drain()
    return loanOf(app, id)
  }
  const loan = await lendOn(100_000)
  await until('2027-01-21')
  await returnDebit(app, await payoutOf(app, loan), { reason_code: 'AC04' })
  const by = await createOperatorId(app)
  await asOperator(app, tx => cancelFailedPayout(tx.as(by), loan.id))
  await until('2027-02-01')
  const instead = await lendOn(100_000)
  await refundDebit(app, await debitOf(app, loan))
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY' })
  expect((await app.client.getInvoice({ invoice_id: invoice.id })).loan_ids).toEqual([instead.id])
  expect((await app.verify()).findings).toEqual([])
  // 20,000 of the invoice's 120,000 can still be financed.
  await lendOn(20_000)
})
