/** A bill whose only loan turns out, before sending, never to have been paid out. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { billsOf, lend, loanOf, payIn, paymentsOfType, sendBack } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

/** 1 May is a Saturday, so bills are generated two days before they are sent. */
const story = calendar('2027-04-20')

story('is INVALID, although its interest was paid before it was generated', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house, 'SCT')
  const to = await lend(house, borrower, { amount: 100_000, days: 20 })
  await until('2027-04-28')
  await payIn(house, { to, amount: 101_000 })
  await until('2027-05-01')
  expect(await billsOf(house, borrower)).toMatchObject([{ status: 'GENERATED' }])
  const [payout] = await paymentsOfType(house, to, 'LOAN_PAYMENT')
  await sendBack(house, payout!)
  await until('2027-05-04')
  expect(await billsOf(house, borrower)).toMatchObject([{ status: 'INVALID', lines: [] }])
  expect(await loanOf(house, to.id)).toMatchObject({ status: 'ISSUE_DETECTED' })
})
