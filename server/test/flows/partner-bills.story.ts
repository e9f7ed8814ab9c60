/** Bills that a partner pays for its borrowers, because it handles repayment or bears the fees. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import {
  type Bill,
  debitOf,
  lend,
  loanOf,
  payIn,
  paymentsOfType,
  referenceOf,
  returnDebit,
} from '../support/money.ts'
import { agree, asSecondPartner, PARTNER_COMPANY } from '../support/partner-terms.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

const story = calendar('2027-01-28')

async function billsOfPartner({ client, partner_id }: TestApp) {
  const { data } = await client.listBills({ business_id: [partner_id] })
  return data.reverse()
}

async function wasMailed(app: TestApp, bill: Bill): Promise<void> {
  await app.drain()
  const mails = await app.client.listSandboxMailbox({ to: PARTNER_COMPANY.emails[0]! })
  expect(mails.data[0]?.subject).toContain(bill.invoice_number!)
  expect(mails.data[0]?.attachments).toHaveLength(1)
  const paper = await fetch(bill.document_url!)
  expect(paper.headers.get('content-type')).toBe('application/pdf')
}

const referenceOn = (bill: { payment: { to_references: string[] } }) =>
  bill.payment.to_references[0]!

story('the partner handles repayment: one bill for all its loans', async tale => {
  const { app, until } = tale
  await agree(app, { repayment_handled_by: 'PARTNER' })
  const debited = await readyBorrower(app)
  const other = await readyBorrower(app, 'SCT')
  const first = await lend(app, debited, { amount: 100_000, days: 30 })
  const second = await lend(app, other, { amount: 200_000, days: 45 })
  await until('2027-02-01')
  const [bill] = await billsOfPartner(app)
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
  expect((await app.client.listBills({ business_id: [debited.id, other.id] })).data).toEqual([])
  await wasMailed(app, bill!)

  // The partner pays the interest, so the surplus of an early repayment is refunded.
  await until('2027-02-02')
  await payIn(app, { to: second, amount: 200_400 })
  expect(await loanOf(app, second.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    fees_ongoing: 500,
    paid_interests_amount: 0,
  })
  expect(await paymentsOfType(app, second, 'REFUND')).toMatchObject([{ amount: 400 }])
  // A late-reported payment valued in January makes the bill wrong, so it is replaced.
  await payIn(app, { to: first, amount: 50_000, value_date: '2027-01-30' })
  const [wrong, right] = await billsOfPartner(app)
  expect(wrong).toMatchObject({ id: bill!.id, status: 'INVALID' })
  expect(right).toMatchObject({
    status: 'TO_PAY',
    amends_bill_id: bill!.id,
    to_pay_amount: 550,
    billed_borrower_id: null,
  })
  const iban = PARTNER_COMPANY.iban
  const reference = referenceOn(right!)
  await payIn(app, { to: first, amount: 150, reference, from_iban: iban })
  await payIn(app, { to: first, amount: 400, reference, from_iban: iban })
  expect((await billsOfPartner(app))[1]).toMatchObject({ status: 'PAID' })
  expect(await loanOf(app, second.id)).toMatchObject({ paid_interests_amount: 400 })

  // The debit of 1 March is returned, so the principal is owed again and bears interest until it
  // is repaid.
  await until('2027-03-02')
  await returnDebit(app, await debitOf(app, first))
  expect(await loanOf(app, first.id)).toMatchObject({ status: 'TO_REPAY' })
  const [, , next] = await billsOfPartner(app)
  expect(next).toMatchObject({ status: 'TO_PAY', to_pay_amount: 700 + 100 })
  await payIn(app, { to: first, amount: 800, reference: referenceOn(next!), from_iban: iban })
  expect(await loanOf(app, second.id)).toMatchObject({ status: 'CLOSED' })
  await payIn(app, { to: first, amount: 50_000 })
  expect(await loanOf(app, first.id)).toMatchObject({ status: 'TO_REPAY_FEES' })
  await until('2027-04-01')
  const [, , , last] = await billsOfPartner(app)
  expect(last).toMatchObject({ status: 'TO_PAY', to_pay_amount: 25 })
  await payIn(app, { to: first, amount: 30, reference: referenceOn(last!), from_iban: iban })
  expect(await loanOf(app, first.id)).toMatchObject({ status: 'CLOSED' })
  const back = await paymentsOfType(app, first, 'REFUND')
  expect(back.at(-1)).toMatchObject({ amount: 5, to_account_details: { account_number: iban } })
})

story('the partner bears the fees, and does not pay them', async tale => {
  const { until } = tale
  const app = asSecondPartner(tale.app)
  await agree(app, { fees_mode: 'TRANSFERRED', sends_bills: true })
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  expect(await app.client.getLoanPayoff({ loan_id: loan.id })).toMatchObject({
    principal: 100_000,
    interest: 0,
  })
  await until('2027-02-01')
  const [bill] = await billsOfPartner(app)
  expect(bill).toMatchObject({
    status: 'VALIDATED',
    to_pay_amount: 200,
    email_sent_to_payer_on: null,
  })
  const sent = { sent_on: '2027-02-01', to_email_addresses: ['own@partner.example'] }
  await app.client.noteBillSent({ bill_id: bill!.id, ...sent })
  expect((await billsOfPartner(app))[0]).toMatchObject({
    status: 'TO_PAY',
    email_sent_to_payer_on: '2027-01-31T23:00:00.000Z',
  })
  await app.drain()
  const { data } = await app.client.listWebhookEvents({ page_size: 500 })
  const result = data.filter(event => (event.data as { id?: string }).id === bill!.id)
  expect(result.map(event => event.type)).toEqual([
    'Bill.GENERATED',
    'Bill.VALIDATED',
    'Bill.SENT_TO_PAYER',
    'Bill.TO_PAY',
  ])
  await until('2027-02-05')
  await payIn(app, { to: loan, amount: 100_000, reference: referenceOf(loan) })
  expect(await loanOf(app, loan.id)).toMatchObject({ status: 'TO_REPAY_FEES', fees_ongoing: 400 })

  // From the seventh day past the bill's due date, loans whose fees the partner bears are declined.
  await until('2027-02-09')
  const granted = await lend(app, borrower, { amount: 10_000, days: 10 })
  expect(granted.status).toBe('TO_REPAY')
  await until('2027-02-10')
  expect(await requestLoan(app, borrower, { amount: 10_000 })).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'LINKED_BUSINESS_IS_BLOCKED',
  })
  expect((await app.client.getBorrower({ borrower_id: borrower.id })).status).toBe('READY')
  await agree(app, { fees_mode: 'CHARGED', sends_bills: true })
  const charged = await lend(app, borrower, { amount: 20_000, days: 10 })
  expect(charged.status).toBe('TO_REPAY')
  const reference = referenceOn(bill!)
  await payIn(app, { to: loan, amount: 200, reference, from_iban: PARTNER_COMPANY.iban })
  await agree(app, { fees_mode: 'TRANSFERRED' })
  const again = await requestLoan(app, borrower, { amount: 10_000, days: 5 })
  expect(again.status).not.toBe('DECLINED')
  // The fee payer is fixed at approval: one loan is on the borrower's bill, the others are on the
  // partner's.
  await until('2027-03-01')
  const [, second] = await billsOfPartner(app)
  expect(second!.lines.map(line => line.loan_id)).toEqual([loan.id, granted.id, again.id])
  const own = await app.client.listBills({ business_id: [borrower.id] })
  expect(own.data.map(b => b.lines.map(line => line.loan_id))).toEqual([[charged.id]])
})
