/** A bill sent late, by its partner or after an outage, is due later. */
import { expect, test } from 'vitest'
import { matchSuspense, unmatchSuspense } from '../../src/credit/repayments/index.ts'
import { readPdf } from '../documents/samples.ts'
import { setClock, type TestApp } from '../support/app.ts'
import { appOn, calendar, expectVerified } from '../support/calendar.ts'
import { type Bill, billsOf, lend, payIn } from '../support/money.ts'
import { asOperator } from '../support/operators.ts'
import { agree } from '../support/partner-terms.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-28')
const STRANGER = 'FR7630006000011234567890189'
const ACTOR = crypto.randomUUID()

async function paperOf({ key }: TestApp, bill: Bill): Promise<string> {
  const pdf = await fetch(bill.document_url!, { headers: { authorization: `Bearer ${key}` } })
  return (await readPdf(Buffer.from(await pdf.arrayBuffer()))).text
}

story('a bill is not debited before its partner has sent it', async ({ app, until }) => {
  await agree(app, { fees_mode: 'CHARGED', sends_bills: true })
  const borrower = await readyBorrower(app)
  await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-12')
  const billed = async () => (await billsOf(app, borrower))[0]!
  const bill = await billed()
  expect(bill).toMatchObject({ status: 'VALIDATED', payment: { status: 'SCHEDULED' } })
  expect((await app.client.getBorrower({ borrower_id: borrower.id })).status).toBe('READY')
  const sent = { sent_on: '2027-02-12', to_email_addresses: ['own@partner.example'] }
  expect(await paperOf(app, bill)).toContain('3 février 2027')
  await app.client.noteBillSent({ bill_id: bill.id, ...sent })
  await app.drain()
  // A repeated report changes nothing and sends no event.
  await app.client.noteBillSent({ bill_id: bill.id, ...sent })
  const paper = await paperOf(app, await billed())
  expect(paper).toContain('16 février 2027')
  expect(paper).not.toContain('3 février 2027')
  expect(paper).toContain(bill.invoice_number)
  // The bill was sent on a Friday, so it is due and debited on Tuesday.
  expect(await billed()).toMatchObject({
    status: 'TO_PAY',
    due_date: '2027-02-16T00:00:00Z',
    payment: { id: bill.payment.id, status: 'SCHEDULED', scheduled_at: '2027-02-16T00:00:00Z' },
  })
  await until('2027-02-16')
  expect(await billed()).toMatchObject({ status: 'PAID', payment: { status: 'PAID' } })
})

story('a bill that proves wrong before its partner sends it is replaced', async tale => {
  const { app, until } = tale
  await agree(app, { fees_mode: 'CHARGED', sends_bills: true })
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-05')
  const [wrong] = await billsOf(app, borrower)
  expect(wrong).toMatchObject({ status: 'VALIDATED', to_pay_amount: 200 })
  // The repayment is reported late, with a value date in the billed month.
  await payIn(app, { to: loan, amount: 50_000, value_date: '2027-01-30' })
  await app.drain()
  const [replaced, right] = await billsOf(app, borrower)
  expect(replaced).toMatchObject({ id: wrong!.id, status: 'INVALID' })
  expect(right).toMatchObject({
    status: 'VALIDATED',
    amends_bill_id: wrong!.id,
    to_pay_amount: 150,
    due_date: wrong!.due_date,
  })
  expect(await paperOf(app, right!)).toContain(wrong!.invoice_number)
  const sent = { sent_on: '2027-02-12', to_email_addresses: ['own@partner.example'] }
  await until('2027-02-12')
  await expect(app.client.noteBillSent({ bill_id: wrong!.id, ...sent })).rejects.toMatchObject({
    code: 'state_conflict',
  })
  await app.client.noteBillSent({ bill_id: right!.id, ...sent })
  // The payer was sent no earlier bill, so this one is due like any other bill sent that day.
  expect((await billsOf(app, borrower))[1]).toMatchObject({
    status: 'TO_PAY',
    due_date: '2027-02-16T00:00:00Z',
    payment: { amount: 150, scheduled_at: '2027-02-16T00:00:00Z' },
  })
})

story('a bill replaced after it was sent keeps its due date, however often', async tale => {
  const { app, until } = tale
  await agree(app, { fees_mode: 'CHARGED', sends_bills: true })
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  await until('2027-02-01')
  const [first] = await billsOf(app, borrower)
  const to_email_addresses = ['own@partner.example']
  const sent = { bill_id: first!.id, sent_on: '2027-02-01', to_email_addresses }
  await app.client.noteBillSent(sent)
  for (const value_date of ['2027-01-30', '2027-01-31']) {
    await payIn(app, { to: loan, amount: 10_000, value_date })
    await app.drain()
  }
  const bills = await billsOf(app, borrower)
  expect(bills.map(bill => bill.status)).toEqual(['INVALID', 'INVALID', 'VALIDATED'])
  await until('2027-02-12')
  const last = bills.at(-1)!
  await app.client.noteBillSent({ ...sent, bill_id: last.id, sent_on: '2027-02-12' })
  expect((await billsOf(app, borrower)).at(-1)).toMatchObject({
    status: 'TO_PAY',
    due_date: first!.due_date,
  })
})

story('a bill that its partner has not sent gets the line of a loan it lacked', async tale => {
  const { app, until } = tale
  await agree(app, { fees_mode: 'CHARGED', sends_bills: true })
  const borrower = await readyBorrower(app, 'SCT')
  const billed = await lend(app, borrower, { amount: 100_000, days: 40 })
  const other = await lend(app, borrower, { amount: 50_001, days: 40 })
  // Repaid on the day of its payout, so that it owes no interest.
  await payIn(app, { to: other, amount: 50_001, reference: 'for you', from_iban: STRANGER })
  const { rows } = await app.context.database.pool.query(
    'select id from suspense_items where amount = 50001',
  )
  const item = rows[0].id as string
  await asOperator(app, tx => matchSuspense(tx.as(ACTOR), item, other.id))
  await until('2027-02-05')
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'VALIDATED', to_pay_amount: 200 }])
  await asOperator(app, tx => unmatchSuspense(tx.as(ACTOR), item))
  await app.drain()
  const [, right] = await billsOf(app, borrower)
  expect(right).toMatchObject({ status: 'VALIDATED', to_pay_amount: 300 })
  expect(right!.lines.map(line => line.loan_id)).toEqual([billed.id, other.id])
})

test('a bill the service sends late falls due later, in the PDF and in its effects', async () => {
  const app = await appOn('2027-01-28')
  const byDebit = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  const byTransfer = await readyBorrower(app, 'SCT', 'FRA')
  for (const one of [byDebit, byTransfer]) await lend(app, one, { amount: 100_000, days: 40 })
  // Simulates an outage until Friday the 12th.
  await setClock(app, '2027-02-12')
  await app.client.advanceSandboxClock({ to: '2027-02-13' })
  const [debited] = await billsOf(app, byDebit)
  const [transferred] = await billsOf(app, byTransfer)
  for (const bill of [debited!, transferred!]) {
    expect(bill).toMatchObject({ status: 'TO_PAY', due_date: '2027-02-16T00:00:00Z' })
    const paper = await paperOf(app, bill)
    expect(paper).toContain('16 février 2027')
    expect(paper).not.toContain('3 février 2027')
  }
  expect(debited!.payment.scheduled_at).toBe('2027-02-16T00:00:00Z')
  const { data } = await app.client.listSandboxMailbox({ page_size: 500 })
  const result = data.filter(mail => mail.subject.includes(debited!.invoice_number!))
  expect(result.map(mail => mail.text.includes('16 février 2027'))).toEqual([true])
  await app.client.advanceSandboxClock({ to: '2027-02-22' })
  const statusOf = async ({ id }: { id: string }) =>
    (await app.client.getBorrower({ borrower_id: id })).status
  // The borrower is blocked from the seventh day after the new due date.
  expect(await statusOf(byTransfer)).toBe('READY')
  await app.client.advanceSandboxClock({ to: '2027-02-23' })
  expect(await statusOf(byTransfer)).toBe('BLOCKED')
  expect((await billsOf(app, byDebit))[0]!.status).toBe('PAID')
  await expectVerified(app)
})
