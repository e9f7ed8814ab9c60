/** Payments for a loan before its payout. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { lend, loanOf, payIn, referenceOf, suspended } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

story('more than an undisbursed loan: the rest pays the other loan named', async tale => {
  const { house } = tale
  const borrower = await readyBorrower(house, 'SCT')
  const open = await lend(house, borrower, { amount: 50_000, days: 30 })
  const { id } = await house.client.createLoan({
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
  await house.drain()
  const planned = await loanOf(house, id)
  expect(planned.status).toBe('SCHEDULED')
  await payIn(house, { to: planned, amount: 15_000 })
  const both = `${referenceOf(planned)} ${referenceOf(open)}`
  await payIn(house, { to: planned, amount: 30_000, reference: both })
  expect(await loanOf(house, open.id)).toMatchObject({ repaid_nominal_amount: 30_000 })
  expect(await suspended(house, 30_000)).toEqual([])
})
