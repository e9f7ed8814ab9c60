/** Loans that wait: for a KYB review, for validation, and until they expire. */
import { expect } from 'vitest'
import { calendar } from '../../support/calendar.ts'
import type { TestHouse } from '../../support/house.ts'
import { lineOf, loanOf, paymentsOf } from '../../support/money.ts'
import { refusal } from '../../support/refusal.ts'
import { type ReadyBorrower, readyBorrower } from '../../support/story.ts'
import { DAY, requestOf } from './request.ts'

const story = calendar(DAY)

const HELD = { balance_available: 4_950_000, balance_pending_validation: 50_000 }
const FREE = { balance_available: 5_000_000, balance_pending_validation: 0 }

async function underReview(house: TestHouse): Promise<ReadyBorrower> {
  const borrower = await readyBorrower(house)
  await review(house, borrower, 'REVIEWING')
  return borrower
}

async function review(
  house: TestHouse,
  { id }: ReadyBorrower,
  status: 'REVIEWING' | 'APPROVED' | 'REJECTED' | 'PENDING_USER_ACTION',
): Promise<void> {
  await house.client.setSandboxKyb({ borrower_id: id, status })
  await house.drain()
}

story('KYB under review: the loan waits, and continues once approved', async tale => {
  const { house, until } = tale
  const borrower = await underReview(house)
  const started = Date.now()
  const loan = await house.client.createLoan(requestOf(borrower))
  // Only a reviewer can continue it, so the request does not wait for a decision.
  expect(Date.now() - started).toBeLessThan(10_000)
  expect(loan.status).toBe('PENDING_VALIDATION')
  expect(await lineOf(house, borrower)).toMatchObject(HELD)
  await review(house, borrower, 'PENDING_USER_ACTION')
  expect((await loanOf(house, loan.id)).status).toBe('PENDING_VALIDATION')
  await until('2027-01-18')
  await review(house, borrower, 'APPROVED')
  expect(await loanOf(house, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    to_pay_at: '2027-01-15T00:00:00Z',
    paid_at: '2027-01-18T00:00:00Z',
    to_repay_at: '2027-01-25T00:00:00Z',
    fees_estimated: 175,
  })
  const { data } = await house.client.listLoanEvents({ loan_id: loan.id })
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
  async ({ house }) => {
    const borrower = await underReview(house)
    const first = await house.client.createLoan(requestOf(borrower))
    const second = await house.client.createLoan(requestOf(borrower, { auto_validate: false }))
    await review(house, borrower, 'REJECTED')
    for (const { id } of [first, second]) {
      expect(await loanOf(house, id)).toMatchObject({
        status: 'DECLINED',
        denial_reason: 'BUSINESS_COMPLIANCE_ISSUE_DETECTED',
      })
    }
    expect(await lineOf(house, borrower)).toMatchObject(FREE)
  },
)

story('KYB approved: without auto_validate the loan waits for the partner', async ({ house }) => {
  const borrower = await underReview(house)
  const { id } = await house.client.createLoan(requestOf(borrower, { auto_validate: false }))
  await review(house, borrower, 'APPROVED')
  expect((await loanOf(house, id)).status).toBe('TO_VALIDATE')
  expect(await lineOf(house, borrower)).toMatchObject(HELD)
  const validated = await house.client.validateLoan({ loan_id: id })
  expect(validated.status).toBe('VALIDATED')
  await house.drain()
  expect((await loanOf(house, id)).status).toBe('TO_REPAY')
  const again = await refusal(house.client.validateLoan({ loan_id: id }))
  expect(again).toMatchObject({ status: 409, code: 'state_conflict' })
})

story('KYB approved too late for the due date', async ({ house, until }) => {
  const borrower = await underReview(house)
  const short = requestOf(borrower, { to_repay_at: '2027-01-17' })
  const { id } = await house.client.createLoan(short)
  await until('2027-01-16')
  expect((await loanOf(house, id)).status).toBe('PENDING_VALIDATION')
  await until('2027-01-17')
  expect(await loanOf(house, id)).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'LOAN_REQUEST_EXPIRED',
  })
  expect(await lineOf(house, borrower)).toMatchObject(FREE)
})

story('a one-day loan can still be paid out on its payout date', async ({ house, until }) => {
  const borrower = await readyBorrower(house)
  const day = { to_pay_at: '2027-01-18', to_repay_at: '2027-01-19' }
  const { id } = await house.client.createLoan(
    requestOf(borrower, { ...day, auto_validate: false }),
  )
  await until('2027-01-18')
  expect((await loanOf(house, id)).status).toBe('TO_VALIDATE')
  await house.client.validateLoan({ loan_id: id })
  await house.drain()
  expect((await loanOf(house, id)).status).toBe('TO_REPAY')
})

story('a loan held up for thirty days expires', async ({ house, until }) => {
  const borrower = await underReview(house)
  const { id } = await house.client.createLoan(requestOf(borrower, { to_repay_at: '2027-02-28' }))
  const later = { to_pay_at: '2027-01-20', to_repay_at: '2027-03-01', auto_validate: false }
  const asked = await house.client.createLoan(requestOf(borrower, later))
  await until('2027-02-14')
  expect((await loanOf(house, id)).status).toBe('PENDING_VALIDATION')
  await until('2027-02-15')
  expect(await loanOf(house, id)).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'LOAN_REQUEST_EXPIRED',
  })
  // Counted from its own payout date.
  expect((await loanOf(house, asked.id)).status).toBe('PENDING_VALIDATION')
  expect(await lineOf(house, borrower)).toMatchObject(HELD)
})

story('validated later: the rules are checked again', async ({ house, until }) => {
  const borrower = await readyBorrower(house)
  const later = { to_pay_at: '2027-01-20', to_repay_at: '2027-01-30', auto_validate: false }
  const first = await house.client.createLoan(requestOf(borrower, later))
  const second = await house.client.createLoan(requestOf(borrower, later))
  await review(house, borrower, 'REVIEWING')
  const paused = await refusal(house.client.validateLoan({ loan_id: first.id }))
  expect(paused).toMatchObject({ status: 409, code: 'state_conflict' })
  await review(house, borrower, 'APPROVED')
  await house.client.validateLoan({ loan_id: first.id })
  await house.drain()
  expect((await loanOf(house, first.id)).status).toBe('SCHEDULED')
  await review(house, borrower, 'REJECTED')
  expect(await loanOf(house, second.id)).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'BUSINESS_COMPLIANCE_ISSUE_DETECTED',
  })
  await until('2027-01-18')
  expect(await paymentsOf(house, second)).toEqual([])
})

story('KYB under review again before the payout: held, then paid out once approved', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const wish = { to_pay_at: '2027-01-18', to_repay_at: '2027-01-29' }
  const { id } = await house.client.createLoan(requestOf(borrower, wish))
  await house.drain()
  await review(house, borrower, 'REVIEWING')
  await until('2027-01-20')
  expect((await loanOf(house, id)).status).toBe('SCHEDULED')
  await review(house, borrower, 'PENDING_USER_ACTION')
  expect(await paymentsOf(house, { id })).toMatchObject([{ status: 'SCHEDULED' }])
  await review(house, borrower, 'APPROVED')
  expect(await loanOf(house, id)).toMatchObject({
    status: 'TO_REPAY',
    paid_at: '2027-01-20T00:00:00Z',
    to_repay_at: '2027-01-29T00:00:00Z',
    fees_estimated: 225,
  })
  expect((await house.verify()).findings).toEqual([])
})
