/** A transfer that pays a partner's bill and the principal of a loan on it. */
import { expect } from 'vitest'
import { day } from '../../src/platform/kit/dates.ts'
import { calendar } from '../support/calendar.ts'
import { lend, payIn, paymentsOf, receiveNews, referenceOf } from '../support/money.ts'
import { agree, PARTNER_COMPANY } from '../support/partner-terms.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-28')

story("the borrower's statement shows the principal, and its return", async tale => {
  const { app, until } = tale
  await agree(app, { repayment_handled_by: 'PARTNER' })
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-02')
  const [bill] = (await app.client.listBills({ business_id: [app.partner_id] })).data
  const reference = `${bill!.payment.to_references[0]} ${referenceOf(loan)}`
  const amount = bill!.to_pay_amount + 100_000
  await payIn(app, { to: loan, amount, reference, from_iban: PARTNER_COMPANY.iban })
  const bills = await app.client.listBills({ business_id: [app.partner_id] })
  expect(bills.data).toMatchObject([{ status: 'PAID' }])

  const days = { from: '2027-01-28', to: '2027-02-03' }
  const agrees = async () => {
    const result = await app.client.getBorrowerStatement({ borrower_id: borrower.id, ...days })
    const { total } = await app.client.getLoanPayoff({ loan_id: loan.id })
    expect(result).toMatchObject({ closing_balance: total, payoff_balance: total })
    return result.movements.map(m => [m.kind, m.amount])
  }
  const paid = [
    ['payout', 100_000],
    ['repayment', -100_000],
  ]
  expect(await agrees()).toEqual(paid)

  await until('2027-02-03')
  const transfer = (await paymentsOf(app, loan)).find(payment => payment.amount === amount)
  await receiveNews(app, {
    kind: 'RETURNED',
    payment_id: transfer!.id,
    amount: BigInt(amount),
    reason_code: 'FRAD',
    value_on: day('2027-02-03'),
  })
  expect(await agrees()).toEqual([...paid, ['repayment_returned', 100_000]])
})
