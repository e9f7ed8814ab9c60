/** Refunds that become lent when a debit is reclaimed, on loans with bills and credits. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { billsOf, booksOf, debitOf, lend, loanOf, payIn, refundDebit } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

story('a bill for later interest does not change an old refund', async ({ app, until }) => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-02-04')
  // Valued before the bill's debit, the transfer also pays the interest that the debit had paid.
  await payIn(app, { to: loan, amount: 1_500_000, value_date: '2027-01-28' })
  await until('2027-02-08')
  await refundDebit(app, await debitOf(app, loan))
  // Interest for 17 days is 8,500. The 5,000 paid for the bill is surplus and part of the refund.
  const lent = 1_495_000 - (1_500_000 - 1_000_000 - 8_500) - 5_000
  expect(await loanOf(app, loan.id)).toMatchObject({ reclaimed_refunds_amount: lent })
  // February's bill charges interest that had not accrued when the refund left.
  await until('2027-03-02')
  await payIn(app, { to: loan, amount: 100 })
  expect(await loanOf(app, loan.id)).toMatchObject({ reclaimed_refunds_amount: lent })
  expect(await booksOf(app, loan)).toMatchObject({ loan_principal: lent - 100 })
})

story('interest credited by a bill is not surplus of an earlier refund', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 10 })
  await until('2027-02-04')
  await payIn(app, { to: loan, amount: 1_000_000, value_date: '2027-01-16' })
  await until('2027-03-02')
  const [january, credit] = await billsOf(app, borrower)
  expect(january).toMatchObject({ status: 'PAID', to_pay_amount: 5_000 })
  expect(credit).toMatchObject({ kind: 'CREDIT_NOTE', to_pay_amount: -2_500 })
  await refundDebit(app, await debitOf(app, loan))
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY',
    reclaimed_refunds_amount: 1_000_000,
    paid_interests_amount: 2_500,
  })
  expect((await billsOf(app, borrower))[0]).toMatchObject({ status: 'PAID' })
})
