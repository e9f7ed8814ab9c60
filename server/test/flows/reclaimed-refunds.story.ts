/**
 * A surplus that exists only because of a debit: when it is refunded, and the consequences if the
 * debit is returned or refunded afterwards.
 */
import { expect } from 'vitest'
import { sendRefundAgain } from '../../src/back-office/operations/index.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import type { TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import {
  booksOf,
  debitOf,
  expectLogAddsUp,
  type Loan,
  lend,
  lineOf,
  loanOf,
  payIn,
  paymentsOfType,
  refundDebit,
  returnDebit,
} from '../support/money.ts'
import { asOperator } from '../support/operators.ts'
import { mailsTo, type ReadyBorrower, readyBorrower } from '../support/story.ts'
import { writeOff } from '../support/write-offs.ts'

const story = calendar('2027-01-11')

/** An account that no borrower has on file. */
const SECOND_PAYER = 'FR7630006000011234567890189'

const alertsOf = async (app: TestApp, { id }: { id: string }) =>
  (await asOperator(app, readOpenAlerts)).filter(alert => alert.subject_id === id)

story('a refund becomes principal again once the debit behind it is reclaimed', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 1_000_000, from_iban: SECOND_PAYER })
  // The transfer pays 5,000 of interest. The rest is surplus, but only because of the debit.
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([
    { amount: 995_000, status: 'SCHEDULED', scheduled_at: '2027-01-29T00:00:00Z' },
  ])
  await until('2027-02-15')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
  await refundDebit(app, await debitOf(app, loan))
  const reopened = await loanOf(app, loan.id)
  expect(reopened).toMatchObject({
    status: 'TO_REPAY',
    // The due date is the agreed one or the date of the refund, whichever is later.
    to_repay_at: '2027-01-29T00:00:00Z',
    contractual_repayment_date: '2027-01-21T00:00:00Z',
    repaid_nominal_amount: 5_000,
    reclaimed_refunds_amount: 995_000,
    // Interest for ten days on the full amount and for seventeen on the refunded part.
    fees_ongoing: 5_000 + 8_458,
  })
  await expectLogAddsUp(app, loan)
  expect(await booksOf(app, loan)).toMatchObject({ loan_principal: 995_000 })
  // The reclaimed debit lowers the limit too.
  expect(await lineOf(app, borrower)).toMatchObject({
    pool_amount: 4_000_000,
    balance_available: 4_000_000 - 995_000,
  })
  expect(await app.client.getLoanPayoff({ loan_id: loan.id })).toMatchObject({
    principal: 995_000,
    interest: 13_458,
  })
  const statement = await app.client.getBorrowerStatement({
    borrower_id: borrower.id,
    from: '2027-01-01',
    to: '2027-02-15',
    format: 'json',
  })
  // The statement does not include February's interest, which is not billed yet.
  expect(statement.closing_balance).toBe(995_000 + 5_000)
  const [mail] = await mailsTo(app, borrower, /de nouveau dû/)
  expect(mail!.text.replace(/\s+/g, ' ')).toContain('sur le compte d’où provenait le virement')
  expect(mail!.text).not.toContain('sur votre compte')
  expect(await alertsOf(app, loan)).toMatchObject([{ kind: 'refund_reclaimed' }])
  await app.drain()
})

story('nothing is requested if other money repays the reclaimed refund at once', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 1_000_000, from_iban: SECOND_PAYER })
  await until('2027-02-12')
  // The loan is paid a third time. The debit is reclaimed before that payment is refunded.
  await payIn(app, { to: loan, amount: 1_000_000, from_iban: SECOND_PAYER })
  await refundDebit(app, await debitOf(app, loan))
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    repaid_nominal_amount: 1_000_000,
    reclaimed_refunds_amount: 995_000,
  })
  expect(await booksOf(app, loan)).not.toHaveProperty('loan_principal')
  expect(await mailsTo(app, borrower, /de nouveau dû/)).toEqual([])
})

story('reminders and blocks count from the day the reclaim became known', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const state = async () => (await app.client.getBorrower({ borrower_id: borrower.id })).status
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 1_000_000, from_iban: SECOND_PAYER })
  await until('2027-02-15')
  await refundDebit(app, await debitOf(app, loan))
  // The 5,000 that had paid interest repays principal now, so January's bill is unpaid.
  const { data: bills } = await app.client.listBills({ business_id: [borrower.id] })
  expect(bills).toMatchObject([{ status: 'TO_PAY', to_pay_amount: 5_000 }])
  const reference = bills[0]!.payment.to_references[0]!
  await payIn(app, { to: loan, amount: 5_000, reference })
  // The loan has been overdue since 29 January, which became known only on 15 February.
  await until('2027-02-19')
  expect(await state()).toBe('READY')
  expect(await mailsTo(app, borrower, /est en retard/)).toHaveLength(1)
  await until('2027-02-20')
  expect(await state()).toBe('BLOCKED')
  expect(await mailsTo(app, borrower, /est en retard/)).toHaveLength(2)
  await until('2027-02-22')
  await payIn(app, { to: loan, amount: 995_000 })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES' })
  await until('2027-03-12')
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'CLOSED',
    // 5,000 for ten days on 1,000,000, and 11,940 for 24 days on 995,000, from refund to transfer.
    paid_interests_amount: 5_000 + 11_940,
  })
  expect(await state()).toBe('READY')
})

story('within its return window the debit delays the refund', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 1_000_000, from_iban: SECOND_PAYER })
  await until('2027-01-27')
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([{ status: 'SCHEDULED' }])
  await returnDebit(app, await debitOf(app, loan), { reason_code: 'AM04' })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    repaid_nominal_amount: 1_000_000,
    reclaimed_refunds_amount: 0,
  })
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([{ status: 'CANCELED' }])
  await until('2027-02-08')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
  expect(await paymentsOfType(app, loan, 'REFUND')).toHaveLength(1)
})

story('surplus that does not depend on the debit leaves the next banking day', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 1_500_000, from_iban: SECOND_PAYER })
  const planned = await paymentsOfType(app, loan, 'REFUND')
  expect(planned).toMatchObject([
    { amount: 495_000, scheduled_at: '2027-01-22T00:00:00Z' },
    { amount: 1_000_000, scheduled_at: '2027-01-29T00:00:00Z' },
  ])
  await until('2027-01-26')
  await payIn(app, { to: loan, amount: 100, from_iban: SECOND_PAYER })
  const refunds = await paymentsOfType(app, loan, 'REFUND')
  expect(refunds).toMatchObject([
    { amount: 495_000, status: 'PAID' },
    { amount: 1_000_000, scheduled_at: '2027-01-29T00:00:00Z' },
    { amount: 100, scheduled_at: '2027-01-27T00:00:00Z' },
  ])
  await until('2027-02-01')
  for (const refund of await paymentsOfType(app, loan, 'REFUND')) {
    expect(refund.status).toBe('PAID')
  }
})

story('a refund to the borrower itself is owed again without an alert, and in part', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 400_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 250_000 })
  await until('2027-02-15')
  await refundDebit(app, await debitOf(app, loan))
  // The transfer repays 250,000. Still owed are 150,000 and the refund of 248,000.
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    // Part of the payout is still owed, so the agreed due date applies.
    to_repay_at: '2027-01-21T00:00:00Z',
    repaid_nominal_amount: 2_000,
    reclaimed_refunds_amount: 248_000,
  })
  expect(await alertsOf(app, loan)).toEqual([])
  await app.drain()
  const [mail] = await mailsTo(app, borrower, /de nouveau dû/)
  expect(mail!.text).toContain('Nous avions restitué ce montant sur votre compte.')
  expect((await app.client.getBorrower({ borrower_id: borrower.id })).status).toBe('BLOCKED')
})

story('repaying overdue principal gives a reclaimed refund no new grace period', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const state = async () => (await app.client.getBorrower({ borrower_id: borrower.id })).status
  const loan = await lend(app, borrower, { amount: 400_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 250_000 })
  await until('2027-02-15')
  await refundDebit(app, await debitOf(app, loan))
  expect(await state()).toBe('BLOCKED')
  await until('2027-03-01')
  await payIn(app, { to: loan, amount: 150_000 })
  // Only the refund is still owed, which has been known for two weeks.
  expect(await loanOf(app, loan.id)).toMatchObject({ to_repay_at: '2027-01-29T00:00:00Z' })
  expect(await state()).toBe('BLOCKED')
  await until('2027-03-02')
  expect(await state()).toBe('BLOCKED')
})

story(
  'a reclaimed refund keeps the day it became known when its repayment is returned',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app)
    const state = async () => (await app.client.getBorrower({ borrower_id: borrower.id })).status
    const loan = await reclaimed(tale, borrower)
    const { data: bills } = await app.client.listBills({ business_id: [borrower.id] })
    const reference = bills[0]!.payment.to_references[0]!
    await payIn(app, { to: loan, amount: 5_000, reference })
    await app.client.changeLoan({ loan_id: loan.id, to_repay_at: '2027-02-16' })
    await until('2027-02-17')
    expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES' })
    await until('2027-02-23')
    const debits = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    await returnDebit(app, debits.findLast(one => one.payment_method === 'DIRECT_DEBIT')!)
    expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY' })
    expect(await state()).toBe('BLOCKED')
  },
)

story('a returned refund that was principal was never lent', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 1_000_000, from_iban: SECOND_PAYER })
  await until('2027-02-10')
  await refundDebit(app, await debitOf(app, loan))
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY' })
  const [refund] = await paymentsOfType(app, loan, 'REFUND')
  await returnDebit(app, refund!, { reason_code: 'AC04' })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    repaid_nominal_amount: 1_000_000,
    reclaimed_refunds_amount: 0,
    fees_ongoing: 5_000,
    // The agreed due date applies again.
    to_repay_at: '2027-01-21T00:00:00Z',
  })
  expect(await alertsOf(app, loan)).toEqual([])
})

/** A loan of €10,000, repaid twice, whose debit was reclaimed after the surplus was refunded. */
async function reclaimed({ app, until }: StoryContext, borrower: ReadyBorrower): Promise<Loan> {
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 1_000_000, from_iban: SECOND_PAYER })
  await until('2027-02-10')
  await refundDebit(app, await debitOf(app, loan))
  return loan
}

story(
  'a borrower that repaid a refund gets the money back once the refund is returned',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app)
    const loan = await reclaimed(tale, borrower)
    await payIn(app, { to: loan, amount: 1_010_000 })
    const [refund] = await paymentsOfType(app, loan, 'REFUND')
    await returnDebit(app, refund!, { reason_code: 'AC04' })
    // The second payer is refunded its full amount, so the returned refund is not sent again.
    expect(await alertsOf(app, refund!)).toEqual([])
    expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([
      { id: refund!.id, amount: 995_000 },
      { amount: 1_005_000, status: 'SCHEDULED', scheduled_at: '2027-02-11T00:00:00Z' },
    ])
    const person = crypto.randomUUID()
    await asOperator(app, tx => sendRefundAgain(tx.as(person), refund!.id, 'He has asked.'))
    await until('2027-02-12')
    expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
    expect((await paymentsOfType(app, loan, 'REFUND')).map(({ amount }) => amount)).toEqual([
      995_000, 1_005_000,
    ])
  },
)

story('a returned refund waits for an operator as long as it is owed', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 1_000_000, from_iban: SECOND_PAYER })
  await until('2027-02-10')
  const [refund] = await paymentsOfType(app, loan, 'REFUND')
  await returnDebit(app, refund!, { reason_code: 'AC04' })
  expect(await alertsOf(app, refund!)).toMatchObject([{ kind: 'refund_waiting' }])
  // Without the debit the transfer repays the loan, so nothing is left to refund.
  await refundDebit(app, await debitOf(app, loan))
  expect(await alertsOf(app, refund!)).toEqual([])
  // A payment with an earlier value date makes part of the transfer surplus again.
  await payIn(app, { to: loan, amount: 300_000, value_date: '2027-01-20' })
  expect(await alertsOf(app, refund!)).toMatchObject([{ kind: 'refund_waiting' }])
  const person = crypto.randomUUID()
  await asOperator(app, tx => sendRefundAgain(tx.as(person), refund!.id, 'The account is right.'))
  expect(await alertsOf(app, refund!)).toEqual([])
  await until('2027-02-12')
  expect((await paymentsOfType(app, loan, 'REFUND'))[1]).toMatchObject({ status: 'PAID' })
})

story(
  'a debit agreed for a reclaimed refund is canceled when the refund is returned',
  async tale => {
    const { app } = tale
    const borrower = await readyBorrower(app)
    const loan = await reclaimed(tale, borrower)
    await app.client.changeLoan({ loan_id: loan.id, to_repay_at: '2027-02-20' })
    const planned = async () =>
      (await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).filter(p => p.status === 'SCHEDULED')
    expect(await planned()).toMatchObject([{ amount: 995_000 }])
    const [refund] = await paymentsOfType(app, loan, 'REFUND')
    await returnDebit(app, refund!, { reason_code: 'AC04' })
    expect(await planned()).toEqual([])
  },
)

story('a refund is principal again even if the payout was returned', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 300_000, days: 10 })
  await until('2027-01-21')
  const [payout] = await paymentsOfType(app, loan, 'LOAN_PAYMENT')
  await returnDebit(app, payout!, { reason_code: 'AC04' })
  await until('2027-02-01')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'ISSUE_DETECTED' })
  const [refund] = await paymentsOfType(app, loan, 'REFUND')
  expect(refund).toMatchObject({ status: 'PAID', amount: 300_000 })
  await refundDebit(app, await debitOf(app, loan))
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    paid_at: refund!.paid_at,
    reclaimed_refunds_amount: 300_000,
  })
  expect(await booksOf(app, loan)).toMatchObject({ loan_principal: 300_000 })
  expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 4_700_000 })
  await payIn(app, { to: loan, amount: 300_000 })
  await until('2027-03-10')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
})

story('a refund that turns out to be principal after a write-off is lost as well', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 200_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 100_000, from_iban: SECOND_PAYER })
  await until('2027-02-01')
  await refundDebit(app, await debitOf(app, loan))
  expect(await loanOf(app, loan.id)).toMatchObject({ reclaimed_refunds_amount: 99_000 })
  await until('2027-02-10')
  await writeOff(app, loan, '2027-02-10')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
  expect(await booksOf(app, loan)).toMatchObject({ principal_written_off: 199_000 })
})

story('a refund that depends on a B2B debit waits three banking days', async ({ app, until }) => {
  const generated = await app.client.generateSandboxBusiness({ is_borrower: true })
  const borrower = await readyBorrower(app, 'SCT')
  await app.client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'DIRECT_DEBIT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
    from_account: {
      account_number: borrower.account_number,
      bank_identifier: generated.bank_identifier,
    },
    mandate: { scheme: 'B2B', signed_at: '2026-12-01T10:00:00Z' },
  })
  const loan = await lend(app, borrower, { amount: 200_000, days: 10 })
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 200_000, from_iban: SECOND_PAYER })
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([
    { amount: 199_000, scheduled_at: '2027-01-27T00:00:00Z' },
  ])
})
