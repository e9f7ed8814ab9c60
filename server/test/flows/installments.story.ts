/** Loans repaid in installments, by debit and by transfer. */
import { expect } from 'vitest'
import { daysLateOf } from '../../src/credit/delinquency/index.ts'
import { readPdf } from '../documents/samples.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import {
  lendInParts,
  loanOf,
  payIn,
  paymentsOfType,
  refundDebit,
  returnDebit,
} from '../support/money.ts'
import { asOperator } from '../support/operators.ts'
import { refusal } from '../support/refusal.ts'
import { plusDays, type ReadyBorrower, readyBorrower, today } from '../support/story.ts'

// 11 January 2027 is a Monday.
const story = calendar('2027-01-11')

/** An account that no borrower has on file. */
const SECOND_PAYER = 'FR7630006000011234567890189'

story(
  'each is debited on its date; interest is on the remaining principal',
  async ({ app, until }) => {
    const borrower = await readyBorrower(app, 'DIRECT_DEBIT')
    const loan = await lendInParts(app, borrower, [
      [30_000, 10],
      [30_000, 20],
      [40_000, 30],
    ])
    // Interest on €1,000 for ten days, €700 for eleven and €400 for nine, as the debit due on
    // Sunday settles on Monday.
    expect(loan).toMatchObject({
      status: 'TO_REPAY',
      to_repay_at: '2027-02-10T00:00:00Z',
      fees_estimated: 500 + 385 + 180,
      installments: [
        { amount: 30_000, date: '2027-01-21T00:00:00Z' },
        { amount: 30_000, date: '2027-01-31T00:00:00Z' },
        { amount: 40_000, date: '2027-02-10T00:00:00Z' },
      ],
    })
    expect(await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).toMatchObject([
      { amount: 30_000, scheduled_at: '2027-01-21T00:00:00Z', status: 'SCHEDULED' },
      { amount: 30_000, scheduled_at: '2027-02-01T00:00:00Z', status: 'SCHEDULED' },
      { amount: 40_000, scheduled_at: '2027-02-10T00:00:00Z', status: 'SCHEDULED' },
    ])
    await until('2027-01-22')
    expect(await loanOf(app, loan.id)).toMatchObject({
      status: 'TO_REPAY',
      repaid_nominal_amount: 30_000,
    })
    await until('2027-02-11')
    expect(await loanOf(app, loan.id)).toMatchObject({
      status: 'TO_REPAY_FEES',
      repaid_nominal_amount: 100_000,
      fees_ongoing: 500 + 385 + 180,
    })
  },
)

/** Cents of principal that fell due according to the loan's log, oldest first. */
async function fallenDue({ client }: TestApp, loan: { id: string }) {
  const event_type = 'LOAN_PRINCIPAL_FALLEN_DUE' as const
  const { data } = await client.listEvents({ loan_id: [loan.id], event_type: [event_type] })
  return data.map(({ event_payload }) => event_payload.principal_amount).reverse()
}

story('paying ahead reduces the next installments', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT')
  const loan = await lendInParts(app, borrower, [
    [30_000, 10],
    [30_000, 21],
    [40_000, 30],
  ])
  await until('2027-01-13')
  await payIn(app, { to: loan, amount: 40_000 })
  expect(await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).toMatchObject([
    { amount: 30_000, status: 'CANCELED' },
    { amount: 20_000, status: 'SCHEDULED' },
    { amount: 40_000, status: 'SCHEDULED' },
    { amount: 40_000, status: 'PAID' },
  ])
  await until('2027-02-11')
  expect(await fallenDue(app, loan)).toEqual([20_000, 40_000])
})

story('a returned installment makes the loan overdue and stops drawing', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT')
  const loan = await lendInParts(app, borrower, [
    [30_000, 10],
    [70_000, 40],
  ])
  await until('2027-01-22')
  const [first] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await returnDebit(app, first!)
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_nominal_amount: 0 })
  // The installment was due on the 21st. From the fifth day past due, new loans are declined.
  await until('2027-01-25')
  const preview = () => previewOf(app, borrower)
  expect((await preview()).denial_reason).toBeNull()
  await until('2027-01-26')
  expect((await preview()).denial_reason).toBe('LATE_REPAYMENT_BORROWER')
  await payIn(app, { to: loan, amount: 30_000 })
  expect((await preview()).denial_reason).toBeNull()
  // The returned debit is not presented again, and the second installment's debit stays planned.
  expect(await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).toMatchObject([
    { amount: 30_000 },
    { amount: 70_000, status: 'SCHEDULED' },
    { amount: 30_000, status: 'PAID' },
  ])
})

async function previewOf(app: TestApp, borrower: ReadyBorrower) {
  const day = await today(app)
  return app.client.previewLoan({
    loan_type: 'WALLET_FINANCING',
    amount: 1_000,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: day,
    to_repay_at: plusDays(day, 10),
    auto_validate: true,
  })
}

story('their dates cannot be changed; another method collects each on its date', async tale => {
  const { app } = tale
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT')
  const loan = await lendInParts(app, borrower, [
    [30_000, 10],
    [70_000, 40],
  ])
  const terms = (days: number, repayment_method: 'SCT' | 'DIRECT_DEBIT') =>
    app.client.setRepaymentTerms({
      repayment_terms: [
        {
          loan_id: loan.id,
          repayment_method,
          repayment_date: plusDays(loan.to_pay_at.slice(0, 10), days),
        },
      ],
    })
  for (const days of [30, 42]) {
    expect(await refusal(terms(days, 'DIRECT_DEBIT'))).toMatchObject({ code: 'change_refused' })
  }
  const planned = [
    { amount: 30_000, scheduled_at: '2027-01-21T00:00:00Z', status: 'SCHEDULED' },
    { amount: 70_000, scheduled_at: '2027-02-22T00:00:00Z', status: 'SCHEDULED' },
  ]
  expect(await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).toMatchObject(planned)
  await terms(40, 'SCT')
  await terms(40, 'DIRECT_DEBIT')
  const debits = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(debits.filter(d => d.status !== 'CANCELED')).toMatchObject(planned)
})

story(
  'principal owed because of a reclaimed refund is due no earlier than the refund',
  async tale => {
    const { app, until } = tale
    const borrower = await readyBorrower(app, 'DIRECT_DEBIT')
    const loan = await lendInParts(app, borrower, [
      [500_000, 10],
      [500_000, 15],
    ])
    await until('2027-01-21')
    await payIn(app, { to: loan, amount: 1_000_000, from_iban: SECOND_PAYER })
    await until('2027-02-15')
    const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    await refundDebit(app, debit!)
    expect(await loanOf(app, loan.id)).toMatchObject({
      status: 'TO_REPAY',
      to_repay_at: '2027-01-29T00:00:00Z',
    })
    const late = await asOperator(app, tx =>
      daysLateOf(tx, [{ partner_id: app.partner_id, id: loan.id }]),
    )
    // Days past due count from Friday, the day of the refund, not from the installment's due date.
    expect(late.get(loan.id)).toBe(17)
    // Once returned, the refund counts as if it had never been lent: the original due date applies.
    const [refund] = await paymentsOfType(app, loan, 'REFUND')
    await returnDebit(app, refund!, { reason_code: 'AC04' })
    expect(await loanOf(app, loan.id)).toMatchObject({
      status: 'TO_REPAY_FEES',
      to_repay_at: '2027-01-26T00:00:00Z',
    })
  },
)

story('a refund lent when it leaves is collected by the next debit', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT')
  const slow = await app.client.generateSandboxIban({ scenario: 'SUCCESS_ONE_DAY_LATER' })
  const loan = await lendInParts(app, borrower, [
    [500_000, 10],
    [500_000, 32],
  ])
  await until('2027-01-21')
  await payIn(app, { to: loan, amount: 600_000, from_iban: slow.iban })
  await until('2027-01-29')
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  const next = async () => (await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).at(-1)
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([{ status: 'IN_TRANSIT' }])
  await refundDebit(app, debit!)
  expect(await next()).toMatchObject({ status: 'SCHEDULED', amount: 400_000 })
  await until('2027-02-02')
  const [refund] = await paymentsOfType(app, loan, 'REFUND')
  expect(refund).toMatchObject({ status: 'PAID' })
  expect(await next()).toMatchObject({ status: 'SCHEDULED', amount: 400_000 + refund!.amount })
})

story('the agreement shows all installments', async ({ app }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lendInParts(app, borrower, [
    [30_000, 10],
    [70_000, 40],
  ])
  const paper = await fetch(loan.contract_url!)
  const { text } = await readPdf(Buffer.from(await paper.arrayBuffer()))
  expect(text).toContain('300,00')
  expect(text).toContain('700,00')
  expect(text).toMatch(/21.01.2027|21 janvier 2027/)
})
