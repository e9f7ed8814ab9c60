/** Canceling a loan in each status: allowed until the payout is sent, refused afterwards. */
import { expect } from 'vitest'
import { move } from '../../../src/platform/db/move.ts'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { calendar } from '../../support/calendar.ts'
import type { TestHouse } from '../../support/house.ts'
import { lend, lineOf, loanOf, payIn, paymentsOf, suspended } from '../../support/money.ts'
import { refusal } from '../../support/refusal.ts'
import { readyBorrower } from '../../support/story.ts'
import { DAY, requestOf } from './request.ts'

const story = calendar(DAY)

const FREE = { balance_available: 5_000_000, balance_pending: 0, balance_pending_validation: 0 }

async function refused(house: TestHouse, loan_id: string, status: string): Promise<void> {
  expect((await loanOf(house, loan_id)).status).toBe(status)
  const conflict = await refusal(house.client.cancelLoan({ loan_id }))
  expect(conflict).toMatchObject({ status: 409, code: 'state_conflict' })
  expect(conflict.message).toContain(status)
  expect((await loanOf(house, loan_id)).status).toBe(status)
}

story('PENDING_VALIDATION', async ({ house }) => {
  const borrower = await readyBorrower(house)
  await house.client.setSandboxKyb({ borrower_id: borrower.id, status: 'REVIEWING' })
  const { id } = await house.client.createLoan(requestOf(borrower))
  expect((await house.client.cancelLoan({ loan_id: id })).status).toBe('CANCELED')
  expect(await lineOf(house, borrower)).toMatchObject(FREE)
  await house.client.setSandboxKyb({ borrower_id: borrower.id, status: 'APPROVED' })
  await house.drain()
  await refused(house, id, 'CANCELED')
})

story('TO_VALIDATE', async ({ house }) => {
  const borrower = await readyBorrower(house)
  const { id } = await house.client.createLoan(requestOf(borrower, { auto_validate: false }))
  expect((await house.client.cancelLoan({ loan_id: id })).status).toBe('CANCELED')
  expect(await lineOf(house, borrower)).toMatchObject(FREE)
  expect(await refusal(house.client.validateLoan({ loan_id: id }))).toMatchObject({ status: 409 })
})

story('SCHEDULED: the payment is canceled too, and nothing is paid', async ({ house, until }) => {
  const borrower = await readyBorrower(house)
  const { id } = await house.client.createLoan(requestOf(borrower, { to_pay_at: '2027-01-18' }))
  await house.drain()
  expect((await loanOf(house, id)).status).toBe('SCHEDULED')
  await house.client.cancelLoan({ loan_id: id })
  expect(await paymentsOf(house, { id })).toMatchObject([
    { payment_type: 'LOAN_PAYMENT', status: 'CANCELED' },
  ])
  const { data: log } = await house.client.listEvents({ loan_id: [id] })
  expect(log.map(e => e.event_type)).toEqual(['LOAN_CANCELED', 'LOAN_VALIDATED'])
  await until('2027-01-19')
  expect((await loanOf(house, id)).status).toBe('CANCELED')
  expect(await lineOf(house, borrower)).toMatchObject(FREE)
  // A payment for a loan that owes nothing goes to suspense rather than being guessed at.
  await payIn(house, { to: await loanOf(house, id), amount: 33_333 })
  expect(await suspended(house, 33_333)).toEqual([`loan ${id} is CANCELED`])
})

story('VALIDATED: before its contract is generated', async ({ house }) => {
  const borrower = await readyBorrower(house)
  const { id } = await house.client.createLoan(requestOf(borrower, { auto_validate: false }))
  // Validates without running the job that generates the contract.
  const { partner_id } = house
  await transaction(house.context.database, { partners: [partner_id] }, tx =>
    move(tx, 'test', 'loan', [{ id, partner_id, status: 'TO_VALIDATE' }], 'validate'),
  )
  expect((await house.client.cancelLoan({ loan_id: id })).status).toBe('CANCELED')
  expect(await lineOf(house, borrower)).toMatchObject(FREE)
})

story('INITIATED, TO_REPAY, TO_REPAY_FEES and CLOSED: too late', async ({ house, until }) => {
  const borrower = await readyBorrower(house, 'SCT')
  const { iban } = await house.client.generateSandboxIban({ scenario: 'SUCCESS_ONE_DAY_LATER' })
  const { id } = await house.client.createLoan(
    requestOf(borrower, { loan_to: { account_number: iban } }),
  )
  await house.drain()
  await refused(house, id, 'INITIATED')
  const closed = await lend(house, borrower, { amount: 10_000 })
  await refused(house, closed.id, 'TO_REPAY')
  await payIn(house, { to: closed, amount: 10_000 })
  await refused(house, closed.id, 'CLOSED')
  const running = await lend(house, borrower, { amount: 10_000 })
  await until('2027-01-18')
  await payIn(house, { to: running, amount: 10_000 })
  await refused(house, running.id, 'TO_REPAY_FEES')
  await refused(house, id, 'TO_REPAY')
})

story('DECLINED and ISSUE_DETECTED: not for the partner', async ({ house }) => {
  const borrower = await readyBorrower(house)
  const declined = await house.client.createLoan(requestOf(borrower, { amount: 6_000_000 }))
  await refused(house, declined.id, 'DECLINED')
  const { iban } = await house.client.generateSandboxIban({ scenario: 'FAIL' })
  const { id } = await house.client.createLoan(
    requestOf(borrower, { loan_to: { account_number: iban } }),
  )
  await house.drain()
  await refused(house, id, 'ISSUE_DETECTED')
})

story("an unknown loan or another partner's is 404", async ({ house }) => {
  const borrower = await readyBorrower(house)
  const { id } = await house.client.createLoan(requestOf(borrower, { auto_validate: false }))
  const nobody = await refusal(house.client.cancelLoan({ loan_id: crypto.randomUUID() }))
  expect(nobody).toMatchObject({ status: 404, code: 'resource_unknown' })
  const foreign = await refusal(house.second.cancelLoan({ loan_id: id }))
  expect(foreign).toMatchObject({ status: 404, code: 'resource_unknown' })
  expect((await loanOf(house, id)).status).toBe('TO_VALIDATE')
})
