/** A paid bill keeps showing the payment that paid it. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import { billsOf, lend, payIn, referenceOf } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

story('a payment of the next bill is not shown with the previous one', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-03')
  const [january] = await billsOf(app, borrower)
  // One transfer pays the bill and principal.
  const amount = january!.to_pay_amount + 20_000
  const [named] = january!.payment.to_references
  await payIn(app, { to: loan, amount, reference: `${named} ${referenceOf(loan)}` })
  const paid = async () => {
    const bills = await billsOf(app, borrower)
    return bills.map(({ status, payment }) => [status, payment.amount])
  }
  expect(await paid()).toEqual([['PAID', amount]])
  await until('2027-03-03')
  const [, february] = await billsOf(app, borrower)
  const rest = february!.to_pay_amount
  const reference = february!.payment.to_references[0]!
  await payIn(app, { to: loan, amount: rest, reference })
  expect(await paid()).toEqual([
    ['PAID', amount],
    ['PAID', rest],
  ])
  // This transfer closes the loan and pays interest that is not billed yet.
  await payIn(app, { to: loan, amount: 80_240 })
  expect(await paid()).toEqual([
    ['PAID', amount],
    ['PAID', rest],
  ])
})

story('interest paid ahead is shown with the bill that it paid', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-10')
  const [january] = await billsOf(app, borrower)
  const [reference] = january!.payment.to_references
  await payIn(app, { to: loan, amount: january!.to_pay_amount, reference: reference! })
  // The transfer pays ten days of February's interest before they are billed.
  await payIn(app, { to: loan, amount: 100_450 })
  await until('2027-03-03')
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'PAID', payment: { amount: january!.to_pay_amount } },
    { status: 'PAID', payment: { amount: 100_450 } },
  ])
})
