/** A bill whose only loan has its payout returned before the bill is sent. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { billsOf, lend, loanOf, payIn, paymentsOfType, returnDebit } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

/** 1 May 2027 is a Saturday, so bills are generated two days before they are sent. */
const story = calendar('2027-04-20')

story('is INVALID, although its interest was paid before it was generated', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const to = await lend(app, borrower, { amount: 100_000, days: 20 })
  await until('2027-04-28')
  await payIn(app, { to, amount: 101_000 })
  await until('2027-05-01')
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'GENERATED' }])
  const [payout] = await paymentsOfType(app, to, 'LOAN_PAYMENT')
  await returnDebit(app, payout!)
  await until('2027-05-04')
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'INVALID', lines: [] }])
  expect(await loanOf(app, to.id)).toMatchObject({ status: 'ISSUE_DETECTED' })
})
