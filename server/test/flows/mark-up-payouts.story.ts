/** A partner's mark-up is billed with the interest, and paid out once its collection is final. */
import { expect } from 'vitest'
import { checksThatFail } from '../books/with-tampering.ts'
import { asOtherPartners, type TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import {
  type Bill,
  billsOf,
  lend,
  loanOf,
  payIn,
  paymentsOfType,
  referenceOf,
  refundDebit,
  returnDebit,
} from '../support/money.ts'
import { agree, asSecondPartner, PARTNER_COMPANY } from '../support/partner-terms.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-28')

async function shares({ client }: TestApp) {
  const { data } = await client.listPayments({ payment_type: ['REVENUE_SHARE'] })
  return data.reverse()
}

function total(bills: Bill[], component: string): number {
  const lines = bills.flatMap(bill => bill.lines).filter(line => line.component === component)
  return lines.reduce((sum, line) => sum + line.amount, 0)
}

story('a mark-up over two month-ends, with a return and a correction', async tale => {
  const { app, until } = tale
  await agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 100 })
  const borrower = await readyBorrower(app)
  const other = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 123_456, days: 45 })
  const wrong = await lend(app, other, { amount: 100_000, days: 45 })
  expect(await loanOf(app, loan.id)).toMatchObject({ fees_estimated: 2_839 + 568 })
  await until('2027-02-01')
  const [bill] = await billsOf(app, borrower)
  // Interest of 246.912 and a mark-up of 49.3824 cents are rounded separately.
  expect(bill).toMatchObject({
    to_pay_amount: 296,
    lines: [
      { loan_id: loan.id, kind: 'INTEREST', days: 4, amount: 247 },
      { loan_id: loan.id, kind: 'PARTNER_MARK_UP', days: 4, amount: 49 },
    ],
  })
  await until('2027-02-03')
  expect((await billsOf(app, borrower))[0]).toMatchObject({ status: 'PAID' })
  // The debit of the 3rd can be returned until the 10th.
  await until('2027-02-10')
  expect(await shares(app)).toEqual([])
  await until('2027-02-11')
  expect(await shares(app)).toMatchObject([
    {
      amount: 49 + 40,
      status: 'PAID',
      payment_method: 'SCT',
      to_account_details: { account_number: PARTNER_COMPANY.iban },
    },
  ])

  // One loan was repaid on 30 January, so half of its interest and mark-up was not owed.
  await payIn(app, { to: wrong, amount: 100_000, value_date: '2027-01-30' })
  expect(await loanOf(app, wrong.id)).toMatchObject({ status: 'CLOSED', fees_ongoing: 120 })
  expect(await paymentsOfType(app, wrong, 'REFUND')).toEqual([])
  await until('2027-02-20')
  await payIn(app, { to: loan, amount: 23_456, reference: referenceOf(loan) })
  await until('2027-03-03')
  const credit = (await billsOf(app, other))[1]
  expect(credit!.lines).toMatchObject([
    { kind: 'ADJUSTMENT', component: 'INTEREST', amount: -100 },
    { kind: 'ADJUSTMENT', component: 'PARTNER_MARK_UP', amount: -20 },
  ])
  expect(credit).toMatchObject({ refund_amount: 120, payment: { status: 'PAID', amount: 120 } })
  // 23 days on 123,456 and 9 on 100,000: 1,869.744 cents of interest, 373.9488 of mark-up.
  const [, second] = await billsOf(app, borrower)
  const [interest, mark_up] = ['INTEREST', 'PARTNER_MARK_UP'].map(of => total([second!], of))
  expect([interest, mark_up]).toEqual([1_870 - 247, 374 - 49])
  expect(second).toMatchObject({ status: 'PAID' })
  await returnDebit(app, second!.payment)
  expect((await billsOf(app, borrower))[1]).toMatchObject({ status: 'TO_PAY' })
  await until('2027-03-12')
  expect(await shares(app)).toHaveLength(1)

  // A transfer is final, so its share is paid out, less the share paid too much before.
  const reference = second!.payment.to_references[0]!
  await payIn(app, { to: loan, amount: 1_623 + 325, reference })
  await until('2027-03-15')
  const [, next] = await shares(app)
  expect(next).toMatchObject({ amount: 325 - 20, status: 'PAID' })
  await until('2027-04-20')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
  // In March, interest accrues on 100,000 until the debit on Monday the 15th.
  expect(total(await billsOf(app, borrower), 'INTEREST')).toBe(2_570)
  expect(total(await billsOf(app, borrower), 'PARTNER_MARK_UP')).toBe(514)
  const paid = (await shares(app)).reduce((sum, share) => sum + share.amount, 0)
  expect(paid).toBe(514 + 20)
})

story('repaid early in full: the share leaves after the bill', async tale => {
  const { until } = tale
  const app = asSecondPartner(tale.app)
  await agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 100 })
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 50_000, days: 40 })
  await until('2027-01-29')
  const payoff = await app.client.getLoanPayoff({ loan_id: loan.id })
  expect(payoff).toMatchObject({ principal: 50_000, interest: 25 + 5 })
  await payIn(app, { to: loan, amount: 50_030 })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
  await until('2027-02-01')
  expect((await billsOf(app, borrower))[0]).toMatchObject({ status: 'PAID', to_pay_amount: 0 })
  await until('2027-02-02')
  expect(await shares(app)).toMatchObject([{ amount: 5, status: 'PAID' }])
  // A returned share is owed again, and sent only once the partner has another account.
  await returnDebit(app, (await shares(app))[0]!, { reason_code: 'AC04' })
  await until('2027-02-05')
  expect(await shares(app)).toHaveLength(1)
  await agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 100 }, 'DE89370400440532013000')
  await until('2027-02-08')
  expect((await shares(app))[1]).toMatchObject({
    amount: 5,
    status: 'PAID',
    to_account_details: { account_number: 'DE89370400440532013000' },
  })
  const unpaid = `update loans set interest_paid = 0 where id = '${loan.id}'`
  expect(await checksThatFail(app, unpaid)).toContain('mark_up_received')
  // A payment of 25 pays only interest, so no mark-up was received.
  const without = `update loans set interest_paid = 25 where id = '${loan.id}'`
  const open = `update bill_lines set paid = 25 where loan_id = '${loan.id}'`
  expect(await checksThatFail(app, without, open)).toContain('mark_up_received')
})

story('a credit is not a payment: no mark-up leaves for it', async tale => {
  const { until } = tale
  const app = await asOtherPartners(tale.app)
  await agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 500 })
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 45 })
  await until('2027-02-04')
  const [bill] = await billsOf(app, borrower)
  expect(bill).toMatchObject({ to_pay_amount: 4_000, status: 'PAID' })
  await returnDebit(app, bill!.payment)
  await until('2027-02-05')
  await payIn(app, { to: loan, amount: 1_000_000, value_date: '2027-01-29' })
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    fees_ongoing: 1_000,
    paid_interests_amount: 0,
  })
  await until('2027-03-10')
  expect(await shares(app)).toEqual([])
  // A partial payment pays interest before mark-up.
  const reference = bill!.payment.to_references[0]!
  await payIn(app, { to: loan, amount: 700, reference })
  await until('2027-03-12')
  expect(await shares(app)).toMatchObject([{ amount: 200, status: 'PAID' }])
  await payIn(app, { to: loan, amount: 300, reference })
  await until('2027-03-15')
  expect((await shares(app)).map(share => share.amount)).toEqual([200, 300])
})

story('unpaid mark-up is deducted from no share', async tale => {
  const { until } = tale
  const app = await asOtherPartners(tale.app)
  await agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 500 })
  const [late, other] = [await readyBorrower(app, 'SCT'), await readyBorrower(app, 'SCT')]
  const unpaid = await lend(app, late, { amount: 1_000_000, days: 45 })
  const paid = await lend(app, other, { amount: 1_000_000, days: 45 })
  await until('2027-03-04')
  // Two months are billed, but with this backdated repayment only two days are owed.
  await payIn(app, { to: unpaid, amount: 1_000_000, value_date: '2027-01-30' })
  for (const { to_pay_amount: amount, payment } of await billsOf(app, other)) {
    await payIn(app, { to: paid, amount, reference: payment.to_references[0]! })
  }
  await until('2027-03-05')
  expect((await shares(app)).map(share => share.amount)).toEqual([16_000])
  await payIn(app, { to: unpaid, amount: 2_000 })
  expect(await loanOf(app, unpaid.id)).toMatchObject({ status: 'CLOSED' })
  await until('2027-03-08')
  expect((await shares(app)).map(share => share.amount)).toEqual([16_000, 1_000])
})

story('mark-up refunded after its share was paid is deducted from later shares', async tale => {
  const { until } = tale
  const app = await asOtherPartners(tale.app)
  await agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 100 })
  const [refunding, other] = [await readyBorrower(app), await readyBorrower(app, 'SCT')]
  const loan = await lend(app, refunding, { amount: 500_000, days: 4 })
  await until('2027-02-11')
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'CLOSED' })
  expect((await shares(app)).map(share => share.amount)).toEqual([200])
  const later = await lend(app, other, { amount: 1_000_000, days: 20 })
  // The bank refunds the bill's debit after all of its mark-up has been paid out.
  await until('2027-03-10')
  const [bill] = await billsOf(app, refunding)
  await refundDebit(app, bill!.payment)
  expect(await loanOf(app, loan.id)).toMatchObject({ paid_interests_amount: 0 })
  const forgotten = [`update loans set share_unsettled = false where id = '${loan.id}'`]
  expect(await checksThatFail(app, ...forgotten)).toEqual(['loan_fold', 'mark_up_kept_back'])
  const [due] = await billsOf(app, other)
  const reference = due!.payment.to_references[0]!
  await payIn(app, { to: later, amount: due!.to_pay_amount, reference })
  await until('2027-03-12')
  const mark_up = total([due!], 'PARTNER_MARK_UP')
  expect(mark_up).toBeGreaterThan(200)
  expect((await shares(app)).map(share => share.amount)).toEqual([200, mark_up - 200])
  // A transfer, which is final, pays the bill again, so the partner gets its share again.
  await payIn(app, { to: loan, amount: 1_200, reference: bill!.payment.to_references[0]! })
  await until('2027-03-15')
  expect((await shares(app)).map(share => share.amount)).toEqual([200, mark_up - 200, 200])
})
