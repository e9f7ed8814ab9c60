/** Canceling a loan in each status, which is refused once the payout has been sent. */
import { expect } from 'vitest'
import { move } from '../../../src/platform/db/move.ts'
import { transaction } from '../../../src/platform/db/transaction.ts'
import type { TestApp } from '../../support/app.ts'
import { calendar } from '../../support/calendar.ts'
import { lend, lineOf, loanOf, payIn, paymentsOf, suspenseReasons } from '../../support/money.ts'
import { refusal } from '../../support/refusal.ts'
import { readyBorrower } from '../../support/story.ts'
import { DAY, requestOf } from './request.ts'

const story = calendar(DAY)

const FREE = { balance_available: 5_000_000, balance_pending: 0, balance_pending_validation: 0 }

async function refused(app: TestApp, loan_id: string, status: string): Promise<void> {
  expect((await loanOf(app, loan_id)).status).toBe(status)
  const conflict = await refusal(app.client.cancelLoan({ loan_id }))
  expect(conflict).toMatchObject({ status: 409, code: 'state_conflict' })
  expect(conflict.message).toContain(status)
  expect((await loanOf(app, loan_id)).status).toBe(status)
}

story('PENDING_VALIDATION', async ({ app }) => {
  const borrower = await readyBorrower(app)
  await app.client.setSandboxKyb({ borrower_id: borrower.id, status: 'REVIEWING' })
  const { id } = await app.client.createLoan(requestOf(borrower))
  expect((await app.client.cancelLoan({ loan_id: id })).status).toBe('CANCELED')
  expect(await lineOf(app, borrower)).toMatchObject(FREE)
  await app.client.setSandboxKyb({ borrower_id: borrower.id, status: 'APPROVED' })
  await app.drain()
  await refused(app, id, 'CANCELED')
})

story('TO_VALIDATE', async ({ app }) => {
  const borrower = await readyBorrower(app)
  const { id } = await app.client.createLoan(requestOf(borrower, { auto_validate: false }))
  expect((await app.client.cancelLoan({ loan_id: id })).status).toBe('CANCELED')
  expect(await lineOf(app, borrower)).toMatchObject(FREE)
  expect(await refusal(app.client.validateLoan({ loan_id: id }))).toMatchObject({ status: 409 })
})

story('SCHEDULED: the payment is canceled too, and nothing is paid', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const { id } = await app.client.createLoan(requestOf(borrower, { to_pay_at: '2027-01-18' }))
  await app.drain()
  expect((await loanOf(app, id)).status).toBe('SCHEDULED')
  await app.client.cancelLoan({ loan_id: id })
  expect(await paymentsOf(app, { id })).toMatchObject([
    { payment_type: 'LOAN_PAYMENT', status: 'CANCELED' },
  ])
  const { data: log } = await app.client.listEvents({ loan_id: [id] })
  expect(log.map(e => e.event_type)).toEqual(['LOAN_CANCELED', 'LOAN_VALIDATED'])
  await until('2027-01-19')
  expect((await loanOf(app, id)).status).toBe('CANCELED')
  expect(await lineOf(app, borrower)).toMatchObject(FREE)
  // The loan owes nothing, so a payment for it is unmatched.
  await payIn(app, { to: await loanOf(app, id), amount: 33_333 })
  expect(await suspenseReasons(app, 33_333)).toEqual([`loan ${id} is CANCELED`])
})

story('VALIDATED: before its contract is generated', async ({ app }) => {
  const borrower = await readyBorrower(app)
  const { id } = await app.client.createLoan(requestOf(borrower, { auto_validate: false }))
  // Validates the loan without running the job that generates the contract.
  const { partner_id } = app
  await transaction(app.context.database, { partners: [partner_id], actor: 'service' }, tx =>
    move(tx.as('test'), 'loan', [{ id, partner_id, status: 'TO_VALIDATE' }], 'validate'),
  )
  expect((await app.client.cancelLoan({ loan_id: id })).status).toBe('CANCELED')
  expect(await lineOf(app, borrower)).toMatchObject(FREE)
})

story('INITIATED, TO_REPAY, TO_REPAY_FEES and CLOSED: too late', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const { iban } = await app.client.generateSandboxIban({ scenario: 'SUCCESS_ONE_DAY_LATER' })
  const { id } = await app.client.createLoan(
    requestOf(borrower, { loan_to: { account_number: iban } }),
  )
  await app.drain()
  await refused(app, id, 'INITIATED')
  const closed = await lend(app, borrower, { amount: 10_000 })
  await refused(app, closed.id, 'TO_REPAY')
  await payIn(app, { to: closed, amount: 10_000 })
  await refused(app, closed.id, 'CLOSED')
  const running = await lend(app, borrower, { amount: 10_000 })
  await until('2027-01-18')
  await payIn(app, { to: running, amount: 10_000 })
  await refused(app, running.id, 'TO_REPAY_FEES')
  await refused(app, id, 'TO_REPAY')
})

story('DECLINED and ISSUE_DETECTED: not for the partner', async ({ app }) => {
  const borrower = await readyBorrower(app)
  const declined = await app.client.createLoan(requestOf(borrower, { amount: 6_000_000 }))
  await refused(app, declined.id, 'DECLINED')
  const { iban } = await app.client.generateSandboxIban({ scenario: 'FAIL' })
  const { id } = await app.client.createLoan(
    requestOf(borrower, { loan_to: { account_number: iban } }),
  )
  await app.drain()
  await refused(app, id, 'ISSUE_DETECTED')
})

story("an unknown loan or another partner's is 404", async ({ app }) => {
  const borrower = await readyBorrower(app)
  const { id } = await app.client.createLoan(requestOf(borrower, { auto_validate: false }))
  const nobody = await refusal(app.client.cancelLoan({ loan_id: crypto.randomUUID() }))
  expect(nobody).toMatchObject({ status: 404, code: 'resource_unknown' })
  const foreign = await refusal(app.second.cancelLoan({ loan_id: id }))
  expect(foreign).toMatchObject({ status: 404, code: 'resource_unknown' })
  expect((await loanOf(app, id)).status).toBe('TO_VALIDATE')
})
