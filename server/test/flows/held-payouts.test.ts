/**
 * A payout that was instructed but has not reached the bank is held while its borrower may not be
 * paid.
 */
import { describe, expect, vi } from 'vitest'
import {
  blockBorrowerManually,
  prohibitBorrower,
  setCompliance,
  unblockBorrowerManually,
} from '../../src/companies/borrowers/index.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { type Loan, loanOf, paymentsOf } from '../support/money.ts'
import { asOperator } from '../support/operators.ts'
import { type ReadyBorrower, readyBorrower, requestLoan } from '../support/story.ts'

interface Held {
  readonly loan: Loan
  /** IDs of the payments whose orders were sent to the bank. */
  ordered(): string[]
}

/** Requests a loan, and runs `change` while the bank leaves its payout order unanswered. */
async function holdPayout(
  app: TestApp,
  borrower: ReadyBorrower,
  change: (tx: Tx) => Promise<void>,
): Promise<Held> {
  const orders = vi.spyOn(app.context.ports.bank, 'submit')
  orders.mockImplementationOnce(async () => {
    // No `drain` here, because this runs inside a job.
    await transaction(app.context.database, { partners: '*', actor: 'service' }, change)
    return { state: 'unknown' }
  })
  const loan = await requestLoan(app, borrower, { amount: 30_000 })
  await app.drain()
  expect(await paymentsOf(app, loan)).toMatchObject([{ status: 'INSTRUCTED' }])
  return { loan, ordered: () => orders.mock.calls.map(([order]) => order.payment_id) }
}

const DAY = '2027-01-14'

// Each case has its own app, because the bank is mocked for a whole app.
describe('while a KYB review is open again', () => {
  calendar(DAY)(
    'a payout that the bank has not accepted waits for the approval',
    async ({ app }) => {
      const borrower = await readyBorrower(app, 'SCT')
      const key = { borrower_id: borrower.id, partner_id: app.partner_id }
      const reopen = (tx: Tx) => setCompliance(tx, key, 'REVIEWING')
      const { loan, ordered } = await holdPayout(app, borrower, reopen)
      expect(ordered()).toHaveLength(1)
      await app.client.setSandboxKyb({ borrower_id: borrower.id, status: 'APPROVED' })
      await app.drain()
      expect(ordered()).toHaveLength(2)
      expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY')
    },
  )
})

describe('while its borrower is blocked', () => {
  calendar(DAY)('a payout that the bank has not accepted waits', async ({ app, until }) => {
    const borrower = await readyBorrower(app, 'SCT')
    const block = (tx: Tx) => blockBorrowerManually(tx, borrower.id, 'BORROWER_STATUS')
    const { loan, ordered } = await holdPayout(app, borrower, block)
    await until('2027-01-15')
    expect(ordered()).toHaveLength(1)
    await asOperator(app, tx => unblockBorrowerManually(tx.as('service'), borrower.id))
    await until('2027-01-16')
    expect(ordered()).toHaveLength(2)
    expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY')
  })
})

describe('once its borrower is prohibited', () => {
  calendar(DAY)('a payout that the bank has not accepted is not sent', async ({ app, until }) => {
    const borrower = await readyBorrower(app, 'SCT')
    const prohibit = (tx: Tx) => prohibitBorrower(tx, borrower.id, 'BORROWER_STATUS')
    const { loan, ordered } = await holdPayout(app, borrower, prohibit)
    await until('2027-01-18')
    expect(ordered()).toHaveLength(1)
    expect(await paymentsOf(app, loan)).toMatchObject([{ status: 'INSTRUCTED' }])
  })
})
