/** Loans that wait for a KYB review or for validation, and expire. */
import { expect } from 'vitest'
import type { TestApp } from '../../support/app.ts'
import { calendar } from '../../support/calendar.ts'
import { lineOf, loanOf, paymentsOf } from '../../support/money.ts'
import { refusal } from '../../support/refusal.ts'
import { type ReadyBorrower, readyBorrower } from '../../support/story.ts'
import { DAY, requestOf } from './request.ts'

const story = calendar(DAY)

const HELD = { balance_available: 4_950_000, balance_pending_validation: 50_000 }
const FREE = { balance_available: 5_000_000, balance_pending_validation: 0 }

async function underReview(app: TestApp): Promise<ReadyBorrower> {
  const borrower = await readyBorrower(app)
  await review(app, borrower, 'REVIEWING')
  return borrower
}

async function review(
  app: TestApp,
  { id }: ReadyBorrower,
  status: 'REVIEWING' | 'APPROVED' | 'REJECTED' | 'PENDING_USER_ACTION',
): Promise<void> {
  await app.client.setSandboxKyb({ borrower_id: id, status })
  await app.drain()
}

story('KYB under review: the loan waits, and continues once approved', async tale => {
  const { app, until } = tale
  const borrower = await underReview(app)
  const started = Date.now()
  const loan = await app.client.createLoan(requestOf(borrower))
  // The decision depends on a reviewer, so the request answers without waiting for it.
  expect(Date.now() - started).toBeLessThan(10_000)
  expect(loan.status).toBe('PENDING_VALIDATION')
  expect(await lineOf(app, borrower)).toMatchObject(HELD)
  await review(app, borrower, 'PENDING_USER_ACTION')
  expect((await loanOf(app, loan.id)).status).toBe('PENDING_VALIDATION')
  await until('2027-01-18')
  await review(app, borrower, 'APPROVED')
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    to_pay_at: '2027-01-15T00:00:00Z',
    paid_at: '2027-01-18T00:00:00Z',
    to_repay_at: '2027-01-25T00:00:00Z',
    fees_estimated: 175,
  })
  const { data } = await app.client.listLoanEvents({ loan_id: loan.id })
  expect(data.map(event => event.status)).toEqual([
    'SUBMITTED',
    'PENDING_VALIDATION',
    'VALIDATED',
    'SCHEDULED',
    'INITIATED',
    'TO_REPAY',
  ])
})

story(
  'KYB rejected: pending loans are declined and release their reserved credit',
  async ({ app }) => {
    const borrower = await underReview(app)
    const first = await app.client.createLoan(requestOf(borrower))
    const second = await app.client.createLoan(requestOf(borrower, { auto_validate: false }))
    await review(app, borrower, 'REJECTED')
    for (const { id } of [first, second]) {
      expect(await loanOf(app, id)).toMatchObject({
        status: 'DECLINED',
        denial_reason: 'BUSINESS_COMPLIANCE_ISSUE_DETECTED',
      })
    }
    expect(await lineOf(app, borrower)).toMatchObject(FREE)
  },
)

story('KYB approved: without auto_validate the loan waits for the partner', async ({ app }) => {
  const borrower = await underReview(app)
  const { id } = await app.client.createLoan(requestOf(borrower, { auto_validate: false }))
  await review(app, borrower, 'APPROVED')
  expect((await loanOf(app, id)).status).toBe('TO_VALIDATE')
  expect(await lineOf(app, borrower)).toMatchObject(HELD)
  const validated = await app.client.validateLoan({ loan_id: id })
  expect(validated.status).toBe('VALIDATED')
  await app.drain()
  expect((await loanOf(app, id)).status).toBe('TO_REPAY')
  const again = await refusal(app.client.validateLoan({ loan_id: id }))
  expect(again).toMatchObject({ status: 409, code: 'state_conflict' })
})

story('KYB approved too late for the due date', async ({ app, until }) => {
  const borrower = await underReview(app)
  const short = requestOf(borrower, { to_repay_at: '2027-01-17' })
  const { id } = await app.client.createLoan(short)
  await until('2027-01-16')
  expect((await loanOf(app, id)).status).toBe('PENDING_VALIDATION')
  await until('2027-01-17')
  expect(await loanOf(app, id)).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'LOAN_REQUEST_EXPIRED',
  })
  expect(await lineOf(app, borrower)).toMatchObject(FREE)
})

story('a one-day loan can still be paid out on its payout date', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const day = { to_pay_at: '2027-01-18', to_repay_at: '2027-01-19' }
  const { id } = await app.client.createLoan(requestOf(borrower, { ...day, auto_validate: false }))
  await until('2027-01-18')
  expect((await loanOf(app, id)).status).toBe('TO_VALIDATE')
  await app.client.validateLoan({ loan_id: id })
  await app.drain()
  expect((await loanOf(app, id)).status).toBe('TO_REPAY')
})

story('a loan held for thirty days expires', async ({ app, until }) => {
  const borrower = await underReview(app)
  const { id } = await app.client.createLoan(requestOf(borrower, { to_repay_at: '2027-02-28' }))
  const later = { to_pay_at: '2027-01-20', to_repay_at: '2027-03-01', auto_validate: false }
  const requested = await app.client.createLoan(requestOf(borrower, later))
  await until('2027-02-14')
  expect((await loanOf(app, id)).status).toBe('PENDING_VALIDATION')
  await until('2027-02-15')
  expect(await loanOf(app, id)).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'LOAN_REQUEST_EXPIRED',
  })
  // The other loan's thirty days count from its own, later payout date.
  expect((await loanOf(app, requested.id)).status).toBe('PENDING_VALIDATION')
  expect(await lineOf(app, borrower)).toMatchObject(HELD)
})

story('validated later: the rules are checked again', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const later = { to_pay_at: '2027-01-20', to_repay_at: '2027-01-30', auto_validate: false }
  const first = await app.client.createLoan(requestOf(borrower, later))
  const second = await app.client.createLoan(requestOf(borrower, later))
  await review(app, borrower, 'REVIEWING')
  const paused = await refusal(app.client.validateLoan({ loan_id: first.id }))
  expect(paused).toMatchObject({ status: 409, code: 'state_conflict' })
  await review(app, borrower, 'APPROVED')
  await app.client.validateLoan({ loan_id: first.id })
  await app.drain()
  expect((await loanOf(app, first.id)).status).toBe('SCHEDULED')
  await review(app, borrower, 'REJECTED')
  expect(await loanOf(app, second.id)).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'BUSINESS_COMPLIANCE_ISSUE_DETECTED',
  })
  await until('2027-01-18')
  expect(await paymentsOf(app, second)).toEqual([])
})

story('KYB under review again before the payout: held, then paid out once approved', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const input = { to_pay_at: '2027-01-18', to_repay_at: '2027-01-29' }
  const { id } = await app.client.createLoan(requestOf(borrower, input))
  await app.drain()
  await review(app, borrower, 'REVIEWING')
  await until('2027-01-20')
  expect((await loanOf(app, id)).status).toBe('SCHEDULED')
  await review(app, borrower, 'PENDING_USER_ACTION')
  expect(await paymentsOf(app, { id })).toMatchObject([{ status: 'SCHEDULED' }])
  await review(app, borrower, 'APPROVED')
  expect(await loanOf(app, id)).toMatchObject({
    status: 'TO_REPAY',
    paid_at: '2027-01-20T00:00:00Z',
    to_repay_at: '2027-01-29T00:00:00Z',
    fees_estimated: 225,
  })
  expect((await app.verify()).findings).toEqual([])
})
