/** Bill payments belong to their payer: what is refunded, to whom, and what it pays first. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import type { TestHouse } from '../support/house.ts'
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
import { agree, asSecond } from '../support/partner-terms.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')
/** A third-party payer. */
const STRANGER = 'DE89370400440532013000'

const referenceOn = (bill: Bill) => bill.payment.to_references[0]!

async function refundsOf({ client }: TestHouse, bill: Bill) {
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
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 1_000_000, days: 40 })
  await until('2027-02-02')
  const [bill] = await billsOf(house, borrower)
  // Its payer is unknown, so the surplus waits.
  const amount = bill!.to_pay_amount + 50_000
  await payIn(house, { to: loan, amount, reference: referenceOn(bill!), from_iban: null })
  await until('2027-02-24')
  await payIn(house, { to: loan, amount: 1_000_000, from_iban: STRANGER })
  await until('2027-03-10')
  const paid_back = await paymentsOfType(house, loan, 'REFUND')
  const sent = paid_back.reduce((sum, payment) => sum + payment.amount, 0)
  expect(sent).toBeGreaterThan(980_000)
  await refundDebit(house, await debitOf(house, loan))
  const { reclaimed_refunds_amount } = await loanOf(house, loan.id)
  expect(reclaimed_refunds_amount).toBe(sent)
  expect(await booksOf(house, loan)).toMatchObject({ refunds_payable: -50_000 })
  const { data } = await house.client.listPayments({ loan_id: [loan.id] })
  const reasons = data.flatMap(payment => payment.reason ?? [])
  expect(reasons).toEqual([expect.stringContaining('€500.00 overpaid cannot be refunded')])
})

story("a partner's overpaid bill does not cover a borrower’s refund", async tale => {
  const { until } = tale
  const house = asSecond(tale.house)
  await agree(house, { fees_mode: 'TRANSFERRED' })
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 1_000_000, days: 40 })
  await until('2027-02-02')
  const { data } = await house.client.listBills({})
  const bill = data.find(one => one.to_pay_amount > 0)!
  const paid = bill.to_pay_amount + 50_000
  await payIn(house, { to: loan, amount: paid, reference: referenceOn(bill), from_iban: null })
  await until('2027-02-24')
  await payIn(house, { to: loan, amount: 1_000_000, from_iban: STRANGER })
  await until('2027-03-10')
  await refundDebit(house, await debitOf(house, loan))
  expect(await loanOf(house, loan.id)).toMatchObject({ reclaimed_refunds_amount: 1_000_000 })
  expect(await booksOf(house, loan)).toMatchObject({ loan_principal: 1_000_000 })
})

story('a credit is refunded to each payer, up to what each paid', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house, 'SCT')
  const loan = await lend(house, borrower, { amount: 1_000_000, days: 40 })
  await until('2027-02-02')
  const [bill] = await billsOf(house, borrower)
  const of_bill = { to: loan, reference: referenceOn(bill!) }
  await payIn(house, { ...of_bill, amount: bill!.to_pay_amount - 1 })
  await until('2027-02-03')
  await payIn(house, { ...of_bill, amount: 1, from_iban: STRANGER })
  expect((await billsOf(house, borrower))[0]).toMatchObject({ status: 'PAID' })
  await payIn(house, { to: loan, amount: 900_000, value_date: '2027-01-13' })
  await payIn(house, { to: loan, amount: 100_000 })
  await until('2027-03-10')
  const credit = (await billsOf(house, borrower)).find(one => one.kind === 'CREDIT_NOTE')!
  const back = credit.refund_amount!
  expect(back).toBeGreaterThan(1_000)
  expect(await refundsOf(house, credit)).toEqual([
    { amount: 1, status: 'PAID', to: STRANGER },
    { amount: back - 1, status: 'PAID', to: loan.loan_to.account_number },
  ])
})

story('a pending refund pays a bill whose debit was returned', async tale => {
  const { house, until } = tale
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 1_000_000, days: 40 })
  await until('2027-02-10')
  const [bill] = await billsOf(house, borrower)
  expect(bill).toMatchObject({ status: 'PAID' })
  await payIn(house, { to: loan, amount: 1_000_000, value_date: '2027-01-14' })
  await until('2027-03-01')
  const credit = (await billsOf(house, borrower)).find(one => one.kind === 'CREDIT_NOTE')!
  const back = -credit.to_pay_amount
  expect(await refundsOf(house, credit)).toMatchObject([{ amount: back, status: 'SCHEDULED' }])
  const { data } = await house.client.listPayments({ payment_type: ['REPAYMENT_FEES'] })
  const of_bill = data.filter(one =>
    one.related_to.bills.some(({ bill_id }) => bill_id === bill!.id),
  )
  await refundDebit(house, of_bill[0]!)
  await until('2027-03-02')
  expect(await refundsOf(house, credit)).toMatchObject([{ amount: back, status: 'CANCELED' }])
  const [open] = await billsOf(house, borrower)
  expect(open).toMatchObject({ status: 'TO_PAY', paid_amount: back })
})
