/** Bills that a partner pays for its borrowers, because it handles repayment or bears the fees. */
import { expect } from 'vitest'
import { calendar } from '../support/calendar.ts'
import type { TestHouse } from '../support/house.ts'
import {
  type Bill,
  debitOf,
  lend,
  loanOf,
  payIn,
  paymentsOfType,
  referenceOf,
  sendBack,
} from '../support/money.ts'
import { agree, asSecond, PARTNER_COMPANY } from '../support/partner-terms.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

const story = calendar('2027-01-28')

async function billsOfPartner({ client, partner_id }: TestHouse) {
  const { data } = await client.listBills({ business_id: [partner_id] })
  return data.reverse()
}

/** Checks that the bill was mailed to the partner, with its PDF. */
async function wasMailed(house: TestHouse, bill: Bill): Promise<void> {
  await house.drain()
  const mails = await house.client.listSandboxMailbox({ to: PARTNER_COMPANY.emails[0]! })
  expect(mails.data[0]?.subject).toContain(bill.invoice_number!)
  expect(mails.data[0]?.attachments).toHaveLength(1)
  const paper = await fetch(bill.document_url!)
  expect(paper.headers.get('content-type')).toBe('application/pdf')
}

const referenceOn = (bill: { payment: { to_references: string[] } }) =>
  bill.payment.to_references[0]!

story('the partner handles repayment: one bill for all its loans', async tale => {
  const { house, until } = tale
  await agree(house, { repayment_handled_by: 'PARTNER' })
  const debited = await readyBorrower(house)
  const other = await readyBorrower(house, 'SCT')
  const first = await lend(house, debited, { amount: 100_000, days: 30 })
  const second = await lend(house, other, { amount: 200_000, days: 45 })
  await until('2027-02-01')
  const [bill] = await billsOfPartner(house)
  expect(bill).toMatchObject({
    status: 'TO_PAY',
    to_pay_amount: 600,
    billed_borrower_id: null,
    billed_business: { identifier: PARTNER_COMPANY.identifier, identifier_type: 'siren' },
    due_date: '2027-02-03T00:00:00Z',
    invoice_number: expect.stringMatching(/^HR-2027-/),
    lines: [
      { loan_id: first.id, kind: 'INTEREST', days: 4, amount: 200 },
      { loan_id: second.id, kind: 'INTEREST', days: 4, amount: 400 },
    ],
    payment: { payment_method: 'SCT', status: 'SCHEDULED', amount: 600 },
  })
  expect((await house.client.listBills({ business_id: [debited.id, other.id] })).data).toEqual([])
  await wasMailed(house, bill!)

  // Repaid early with a surplus: refunded, because the partner pays the interest.
  await until('2027-02-02')
  await payIn(house, { to: second, amount: 200_400 })
  expect(await loanOf(house, second.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    fees_ongoing: 500,
    paid_interests_amount: 0,
  })
  expect(await paymentsOfType(house, second, 'REFUND')).toMatchObject([{ amount: 400 }])
  // A payment reported later but valued before the month's end replaces the partner's bill.
  await payIn(house, { to: first, amount: 50_000, value_date: '2027-01-30' })
  const [wrong, right] = await billsOfPartner(house)
  expect(wrong).toMatchObject({ id: bill!.id, status: 'INVALID' })
  expect(right).toMatchObject({
    status: 'TO_PAY',
    amends_bill_id: bill!.id,
    to_pay_amount: 550,
    billed_borrower_id: null,
  })
  const iban = PARTNER_COMPANY.iban
  const reference = referenceOn(right!)
  await payIn(house, { to: first, amount: 150, reference, from_iban: iban })
  await payIn(house, { to: first, amount: 400, reference, from_iban: iban })
  expect((await billsOfPartner(house))[1]).toMatchObject({ status: 'PAID' })
  expect(await loanOf(house, second.id)).toMatchObject({ paid_interests_amount: 400 })

  // The principal's debit is returned: it is owed again, with interest for the days since.
  await until('2027-03-02')
  await sendBack(house, await debitOf(house, first))
  expect(await loanOf(house, first.id)).toMatchObject({ status: 'TO_REPAY' })
  const [, , next] = await billsOfPartner(house)
  expect(next).toMatchObject({ status: 'TO_PAY', to_pay_amount: 700 + 100 })
  await payIn(house, { to: first, amount: 800, reference: referenceOn(next!), from_iban: iban })
  expect(await loanOf(house, second.id)).toMatchObject({ status: 'CLOSED' })
  await payIn(house, { to: first, amount: 50_000 })
  expect(await loanOf(house, first.id)).toMatchObject({ status: 'TO_REPAY_FEES' })
  await until('2027-04-01')
  const [, , , last] = await billsOfPartner(house)
  expect(last).toMatchObject({ status: 'TO_PAY', to_pay_amount: 25 })
  await payIn(house, { to: first, amount: 30, reference: referenceOn(last!), from_iban: iban })
  expect(await loanOf(house, first.id)).toMatchObject({ status: 'CLOSED' })
  const back = await paymentsOfType(house, first, 'REFUND')
  expect(back.at(-1)).toMatchObject({ amount: 5, to_account_details: { account_number: iban } })
})

story('the partner bears the fees, and does not pay them', async tale => {
  const { until } = tale
  const house = asSecond(tale.house)
  await agree(house, { fees_mode: 'TRANSFERRED', sends_bills: true })
  const borrower = await readyBorrower(house, 'SCT')
  const loan = await lend(house, borrower, { amount: 100_000, days: 45 })
  expect(await house.client.getLoanPayoff({ loan_id: loan.id })).toMatchObject({
    principal: 100_000,
    interest: 0,
  })
  await until('2027-02-01')
  const [bill] = await billsOfPartner(house)
  expect(bill).toMatchObject({
    status: 'VALIDATED',
    to_pay_amount: 200,
    email_sent_to_payer_on: null,
  })
  const sent = { sent_on: '2027-02-01', to_email_addresses: ['own@partner.example'] }
  await house.client.noteBillSent({ bill_id: bill!.id, ...sent })
  expect((await billsOfPartner(house))[0]).toMatchObject({
    status: 'TO_PAY',
    email_sent_to_payer_on: '2027-01-31T23:00:00.000Z',
  })
  await house.drain()
  const { data } = await house.client.listWebhookEvents({ page_size: 500 })
  const told = data.filter(event => (event.data as { id?: string }).id === bill!.id)
  expect(told.map(event => event.type)).toEqual([
    'Bill.GENERATED',
    'Bill.VALIDATED',
    'Bill.SENT_TO_PAYER',
    'Bill.TO_PAY',
  ])
  await until('2027-02-05')
  await payIn(house, { to: loan, amount: 100_000, reference: referenceOf(loan) })
  expect(await loanOf(house, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES', fees_ongoing: 400 })

  // From seven days after the due date, no new loans with fees borne by this partner.
  await until('2027-02-09')
  const granted = await lend(house, borrower, { amount: 10_000, days: 10 })
  expect(granted.status).toBe('TO_REPAY')
  await until('2027-02-10')
  expect(await requestLoan(house, borrower, { amount: 10_000 })).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'LINKED_BUSINESS_IS_BLOCKED',
  })
  expect((await house.client.getBorrower({ borrower_id: borrower.id })).status).toBe('READY')
  await agree(house, { fees_mode: 'CHARGED', sends_bills: true })
  const charged = await lend(house, borrower, { amount: 20_000, days: 10 })
  expect(charged.status).toBe('TO_REPAY')
  const reference = referenceOn(bill!)
  await payIn(house, { to: loan, amount: 200, reference, from_iban: PARTNER_COMPANY.iban })
  await agree(house, { fees_mode: 'TRANSFERRED' })
  const again = await requestLoan(house, borrower, { amount: 10_000, days: 5 })
  expect(again.status).not.toBe('DECLINED')
  // The payer is fixed at approval: one loan on the borrower's bill, the others on the partner's.
  await until('2027-03-01')
  const [, second] = await billsOfPartner(house)
  expect(second!.lines.map(line => line.loan_id)).toEqual([loan.id, granted.id, again.id])
  const own = await house.client.listBills({ business_id: [borrower.id] })
  expect(own.data.map(b => b.lines.map(line => line.loan_id))).toEqual([[charged.id]])
})
