/** Surplus and credits are refunded to the payers whose payments they come from. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import {
  type Bill,
  billsOf,
  booksOf,
  debitOf,
  lend,
  loanOf,
  payIn,
  paymentsOfType,
  refundDebit,
} from '../support/money.ts'
import { agree, asSecondPartner } from '../support/partner-terms.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')
const STRANGER = 'DE89370400440532013000'

const referenceOn = (bill: Bill) => bill.payment.to_references[0]!

async function refundsOf({ client }: TestApp, bill: Bill) {
  const { data } = await client.listPayments({ payment_type: ['REFUND'] })
  return data
    .filter(payment => payment.related_to.bills.some(one => one.bill_id === bill.id))
    .map(({ amount, status, to_account_details }) => ({
      amount,
      status,
      to: to_account_details!.account_number,
    }))
    .sort((a, b) => a.amount - b.amount)
}

story('an overpaid bill does not cover another payer’s refund', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 40 })
  await until('2027-02-02')
  const [bill] = await billsOf(app, borrower)
  // The payer's account is unknown, so the surplus cannot be refunded.
  const amount = bill!.to_pay_amount + 50_000
  await payIn(app, { to: loan, amount, reference: referenceOn(bill!), from_iban: null })
  await until('2027-02-24')
  await payIn(app, { to: loan, amount: 1_000_000, from_iban: STRANGER })
  await until('2027-03-10')
  const paid_back = await paymentsOfType(app, loan, 'REFUND')
  const sent = paid_back.reduce((sum, payment) => sum + payment.amount, 0)
  expect(sent).toBeGreaterThan(980_000)
  await refundDebit(app, await debitOf(app, loan))
  const { reclaimed_refunds_amount } = await loanOf(app, loan.id)
  expect(reclaimed_refunds_amount).toBe(sent)
  expect(await booksOf(app, loan)).toMatchObject({ refunds_payable: -50_000 })
  const { data } = await app.client.listPayments({ loan_id: [loan.id] })
  const reasons = data.flatMap(payment => payment.reason ?? [])
  expect(reasons).toEqual([expect.stringContaining('€500.00 overpaid cannot be refunded')])
})

story("a partner's overpaid bill does not cover a borrower’s refund", async tale => {
  const { until } = tale
  const app = asSecondPartner(tale.app)
  await agree(app, { fees_mode: 'TRANSFERRED' })
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 40 })
  await until('2027-02-02')
  const { data } = await app.client.listBills({})
  const bill = data.find(one => one.to_pay_amount > 0)!
  const paid = bill.to_pay_amount + 50_000
  await payIn(app, { to: loan, amount: paid, reference: referenceOn(bill), from_iban: null })
  await until('2027-02-24')
  await payIn(app, { to: loan, amount: 1_000_000, from_iban: STRANGER })
  await until('2027-03-10')
  await refundDebit(app, await debitOf(app, loan))
  expect(await loanOf(app, loan.id)).toMatchObject({ reclaimed_refunds_amount: 1_000_000 })
  expect(await booksOf(app, loan)).toMatchObject({ loan_principal: 1_000_000 })
})

story('a credit is refunded to each payer, up to what each paid', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 40 })
  await until('2027-02-02')
  const [bill] = await billsOf(app, borrower)
  const of_bill = { to: loan, reference: referenceOn(bill!) }
  await payIn(app, { ...of_bill, amount: bill!.to_pay_amount - 1 })
  await until('2027-02-03')
  await payIn(app, { ...of_bill, amount: 1, from_iban: STRANGER })
  expect((await billsOf(app, borrower))[0]).toMatchObject({ status: 'PAID' })
  await payIn(app, { to: loan, amount: 900_000, value_date: '2027-01-13' })
  await payIn(app, { to: loan, amount: 100_000 })
  await until('2027-03-10')
  const credit = (await billsOf(app, borrower)).find(one => one.kind === 'CREDIT_NOTE')!
  const back = credit.refund_amount!
  expect(back).toBeGreaterThan(1_000)
  expect(await refundsOf(app, credit)).toEqual([
    { amount: 1, status: 'PAID', to: STRANGER },
    { amount: back - 1, status: 'PAID', to: loan.loan_to.account_number },
  ])
})

story('a pending refund pays a bill whose debit was returned', async tale => {
  const { app, until } = tale
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 1_000_000, days: 40 })
  await until('2027-02-10')
  const [bill] = await billsOf(app, borrower)
  expect(bill).toMatchObject({ status: 'PAID' })
  await payIn(app, { to: loan, amount: 1_000_000, value_date: '2027-01-14' })
  await until('2027-03-01')
  const credit = (await billsOf(app, borrower)).find(one => one.kind === 'CREDIT_NOTE')!
  const back = -credit.to_pay_amount
  expect(await refundsOf(app, credit)).toMatchObject([{ amount: back, status: 'SCHEDULED' }])
  const { data } = await app.client.listPayments({ payment_type: ['REPAYMENT_FEES'] })
  const of_bill = data.filter(one =>
    one.related_to.bills.some(({ bill_id }) => bill_id === bill!.id),
  )
  await refundDebit(app, of_bill[0]!)
  await until('2027-03-02')
  expect(await refundsOf(app, credit)).toMatchObject([{ amount: back, status: 'CANCELED' }])
  const [open] = await billsOf(app, borrower)
  expect(open).toMatchObject({ status: 'TO_PAY', paid_amount: back })
})
