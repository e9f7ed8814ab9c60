/** Payments for a loan before its payout. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { lend, loanOf, payIn, referenceOf, suspenseReasons } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

story("an amount beyond the undisbursed loan pays the transfer's other target", async tale => {
  const { app } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const open = await lend(app, borrower, { amount: 50_000, days: 30 })
  const { id } = await app.client.createLoan({
    loan_type: 'WALLET_FINANCING',
    amount: 10_000,
    auto_validate: true,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: '2027-01-14',
    to_repay_at: '2027-01-25',
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
  })
  await app.drain()
  const planned = await loanOf(app, id)
  expect(planned.status).toBe('SCHEDULED')
  await payIn(app, { to: planned, amount: 15_000 })
  const both = `${referenceOf(planned)} ${referenceOf(open)}`
  await payIn(app, { to: planned, amount: 30_000, reference: both })
  expect(await loanOf(app, open.id)).toMatchObject({ repaid_nominal_amount: 30_000 })
  expect(await suspenseReasons(app, 30_000)).toEqual([])
})
