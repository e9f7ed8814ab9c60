/** Loans collected by direct debit. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import {
  billsOf,
  instructionOf,
  lend,
  lineOf,
  loanOf,
  type Payment,
  payIn,
  paymentsOfType,
} from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

story('a debit settles on its date; the bill follows and is debited', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  const [planned] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(planned).toMatchObject({
    status: 'SCHEDULED',
    amount: 100_000,
    payment_method: 'DIRECT_DEBIT',
    scheduled_at: '2027-01-21T00:00:00Z',
    from_account_details: { account_number: borrower.account_number },
  })
  await until('2027-01-18')
  const [waiting] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(waiting?.status).toBe('SCHEDULED')
  await until('2027-01-19')
  const [instructed] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(instructed?.status).toBe('INSTRUCTED')
  await until('2027-01-21')
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(debit).toMatchObject({ status: 'PAID', paid_at: '2027-01-21T00:00:00Z' })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    repaid_nominal_at: '2027-01-21T00:00:00Z',
    fees_ongoing: 500,
  })
  await until('2027-02-03')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED', repaid_amount: 100_500 })
  const bills = await billsOf(app, borrower)
  expect(bills).toMatchObject([
    {
      status: 'PAID',
      to_pay_amount: 500,
      due_date: '2027-02-03T00:00:00Z',
      lines: [{ loan_id: loan.id, days: 10, amount: 500 }],
      payment: { payment_method: 'DIRECT_DEBIT', payment_type: 'REPAYMENT_FEES', amount: 500 },
    },
  ])
})

story(
  'the amount repaid by a debit stays reserved until D+5 has passed',
  async ({ app, until }) => {
    const borrower = await readyBorrower(app)
    await lend(app, borrower, { amount: 300_000, days: 3 })
    expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 4_700_000 })
    await until('2027-01-14')
    const held = { balance_available: 4_700_000, balance_pending: 300_000 }
    expect(await lineOf(app, borrower)).toMatchObject(held)
    // The 21st is the fifth TARGET day after Thursday the 14th.
    await until('2027-01-21')
    expect(await lineOf(app, borrower)).toMatchObject(held)
    await until('2027-01-22')
    expect(await lineOf(app, borrower)).toMatchObject({
      balance_available: 5_000_000,
      balance_pending: 0,
    })
  },
)

story(
  'shorter than the notice: the earliest possible date, and not overdue before',
  async ({ app, until }) => {
    const borrower = await readyBorrower(app)
    const loan = await lend(app, borrower, { amount: 100_000, days: 1 })
    expect(loan.fees_estimated).toBe(100)
    const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    expect(debit).toMatchObject({ status: 'INSTRUCTED', scheduled_at: '2027-01-13T00:00:00Z' })
    await until('2027-01-13')
    expect(await loanOf(app, loan.id)).toMatchObject({
      status: 'TO_REPAY_FEES',
      fees_ongoing: 100,
    })
  },
)

story('due on a Sunday: collected on Monday, interest until then', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 6 })
  expect(loan).toMatchObject({ to_repay_at: '2027-01-17T00:00:00Z', fees_estimated: 350 })
  await until('2027-01-17')
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY')
  await until('2027-01-18')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES', fees_ongoing: 350 })
})

story('a partial transfer lowers a planned debit', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await payIn(app, { to: loan, amount: 40_000 })
  const [, partial] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(partial).toMatchObject({ status: 'PAID', amount: 40_000, payment_method: 'SCT' })
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(debit).toMatchObject({ status: 'SCHEDULED', amount: 60_000 })
  // The payment has one event for each change that GET shows.
  const result = async () =>
    (await app.client.listWebhookEvents({ type: ['Payment.UPDATED'], page_size: 500 })).data
      .map(event => event.data as Payment)
      .filter(({ id }) => id === debit!.id)
      .map(({ amount, scheduled_at }) => [amount, scheduled_at!.slice(0, 10)])
  expect(await result()).toEqual([[60_000, '2027-01-21']])
  await app.client.changeLoan({ loan_id: loan.id, to_repay_at: '2027-01-25' })
  await app.drain()
  expect(await result()).toHaveLength(2)
  expect(await result()).toContainEqual([60_000, '2027-01-25'])
  await app.client.changeLoan({ loan_id: loan.id, to_repay_at: '2027-01-21' })
  await until('2027-01-21')
  expect(await result()).toHaveLength(3)
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    repaid_nominal_amount: 100_000,
    fees_ongoing: 300,
  })
})

story('a full transfer cancels a planned debit', async ({ app }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await payIn(app, { to: loan, amount: 100_000 })
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(debit?.status).toBe('CANCELED')
  expect((await loanOf(app, loan.id)).status).toBe('CLOSED')
})

story('a partial transfer recalls an instructed debit; the rest follows', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-01-20')
  await payIn(app, { to: loan, amount: 30_000 })
  const [first, , second] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(first).toMatchObject({ status: 'CANCELED', amount: 100_000 })
  expect((await instructionOf(app, first!)).status).toBe('CANCELED')
  // The debit is recalled on Wednesday the 20th before the cut-off, so the rest keeps its date.
  expect(first!.scheduled_at).toBe('2027-01-21T00:00:00Z')
  expect(second).toMatchObject({ amount: 70_000, scheduled_at: '2027-01-21T00:00:00Z' })
  expect((await instructionOf(app, second!)).requested_date).toBe('2027-01-21T00:00:00Z')
  await until('2027-01-22')
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    // Interest on €1,000 for nine days and €700 for one.
    fees_ongoing: 485,
  })
})

story('a full transfer recalls an instructed debit for good', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-01-20')
  await payIn(app, { to: loan, amount: 100_000 })
  await until('2027-01-22')
  const payments = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(payments.map(p => p.status)).toEqual(['CANCELED', 'PAID'])
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY_FEES')
})

story('a rejected debit fails, and is not presented again', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-01-20')
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  const { id } = await instructionOf(app, debit!)
  await app.client.rejectSandboxInstruction({ instruction_id: id, reason_code: 'AM04' })
  await until('2027-01-26')
  expect(await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).toMatchObject([
    { status: 'FAILED', failure_reason: 'AM04' },
  ])
  const log = await app.client.listEvents({ event_type: ['LOAN_REPAYMENT_NOMINAL_UNPAID'] })
  expect(log.data.filter(entry => entry.event_payload.loan_id === loan.id)).toMatchObject([
    { event_payload: { principal_amount: 100_000 } },
  ])
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY')
  await payIn(app, { to: loan, amount: 100_000 })
  const after = await loanOf(app, loan.id)
  expect(after).toMatchObject({ status: 'TO_REPAY_FEES', fees_ongoing: 750 })
})

story('a debit that settles in addition to a transfer is refunded, once final', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  await until('2027-01-21')
  // The transfer is valued before the debit but reported after it. It repays the principal, so the
  // debit pays interest and leaves a surplus.
  await payIn(app, { to: loan, amount: 100_000, value_date: '2027-01-20' })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'CLOSED',
    repaid_nominal_at: '2027-01-20T00:00:00Z',
    repaid_amount: 100_450,
  })
  const [refund] = await paymentsOfType(app, loan, 'REFUND')
  expect(refund).toMatchObject({
    status: 'SCHEDULED',
    amount: 99_550,
    scheduled_at: '2027-01-29T00:00:00Z',
    to_account_details: { account_number: borrower.account_number },
  })
  await until('2027-01-29')
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([{ status: 'PAID' }])
})

story('from debit to transfer: debits not yet frozen are canceled', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const near = await lend(app, borrower, { amount: 100_000, days: 3 })
  const far = await lend(app, borrower, { amount: 100_000, days: 10 })
  // The notice is three TARGET days from Monday the 11th.
  expect(far.earliest_to_repay_at).toBe('2027-01-14T00:00:00Z')
  await app.client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'SCT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: true,
  })
  expect(await loanOf(app, near.id)).toMatchObject({ repayment_method: 'DIRECT_DEBIT' })
  expect(await loanOf(app, far.id)).toMatchObject({
    repayment_method: 'SCT',
    repayment_from: null,
    earliest_to_repay_at: '2027-01-11T00:00:00Z',
  })
  expect(await paymentsOfType(app, far, 'REPAYMENT_NOMINAL')).toMatchObject([
    { status: 'CANCELED' },
  ])
  await until('2027-01-22')
  expect((await loanOf(app, near.id)).status).toBe('TO_REPAY_FEES')
  expect((await loanOf(app, far.id)).status).toBe('TO_REPAY')
})

story('from transfer to debit: active loans are collected on their due dates', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  const overdue = await lend(app, borrower, { amount: 50_000, days: 1 })
  await until('2027-01-14')
  const { bank_identifier } = await app.client.generateSandboxBusiness({})
  await app.client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'DIRECT_DEBIT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: true,
    from_account: { account_number: borrower.account_number, bank_identifier },
    mandate: { scheme: 'B2B', signed_at: '2026-12-01T10:00:00Z' },
  })
  await app.drain()
  expect(await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).toMatchObject([
    { status: 'SCHEDULED', scheduled_at: '2027-01-21T00:00:00Z' },
  ])
  expect(await paymentsOfType(app, overdue, 'REPAYMENT_NOMINAL')).toMatchObject([
    // A new debit needs three banking days' notice.
    { status: 'SCHEDULED', scheduled_at: '2027-01-19T00:00:00Z' },
  ])
  await until('2027-01-21')
  expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY_FEES')
  // A B2B debit can be returned for only three TARGET days.
  expect(await lineOf(app, borrower)).toMatchObject({ balance_pending: 150_000 })
  await until('2027-01-23')
  expect(await lineOf(app, borrower)).toMatchObject({ balance_pending: 100_000 })
  await until('2027-01-27')
  expect(await lineOf(app, borrower)).toMatchObject({ balance_pending: 0 })
})
