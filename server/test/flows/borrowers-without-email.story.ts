/** Mails to a borrower without an email address go to its partner. If both lack one, bills wait. */
import { expect } from 'vitest'
import { releaseBill } from '../../src/credit/bills/index.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { createOperatorSession, signIn } from '../support/console.ts'
import { lend } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { agree, asSecondPartner, PARTNER_COMPANY } from '../support/partner-terms.ts'
import { plusDays, type ReadyBorrower, today } from '../support/story.ts'

const story = calendar('2027-01-11')

/** A borrower created from its number alone, without an email address; repays by wallet debit. */
async function byNumberAlone(app: TestApp): Promise<ReadyBorrower & { wallet: string }> {
  const { client } = app
  const generated = await client.generateSandboxBusiness({ is_borrower: true })
  const { identifier, account_number } = generated
  const { id: borrower_id } = await client.createBorrower({ identifier })
  await client.signBorrower({ borrower_id, signed_at: new Date().toISOString() })
  const wallet = (await client.openWallet({ borrower_id })).account_number
  await client.addRepaymentMethod({
    borrower_id,
    payment_method: 'P2P',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  })
  const borrower = await client.getBorrower({ borrower_id })
  return { ...borrower, id: borrower.id!, account_number: account_number!, wallet }
}

const alertsOf = async (app: TestApp, kind: string) => {
  const alerts = await transaction(
    app.context.database,
    { partners: '*', actor: 'service' },
    readOpenAlerts,
  )
  return alerts.filter(alert => alert.kind === kind)
}
const mailsTo = async ({ client }: TestApp, to: string) =>
  (await client.listSandboxMailbox({ to, page_size: 500 })).data

async function billOf({ client }: TestApp, { id }: ReadyBorrower) {
  return (await client.listBills({ business_id: [id] })).data[0]!
}

story('the partner is mailed, and operators are asked to inform the borrower', async tale => {
  const { app, until } = tale
  const borrower = await byNumberAlone(app)
  await agree(app, {})
  const [contact] = PARTNER_COMPANY.emails as [string]
  const loan = await lend(app, borrower, { amount: 50_000, days: 10 })
  const first = await mailsTo(app, contact)
  expect(first.flatMap(mail => mail.attachments)).toHaveLength(1)

  // The wallet is empty, so the loan is overdue.
  await until('2027-01-23')
  expect(await alertsOf(app, 'borrower_without_email')).toMatchObject([
    { subject_id: borrower.id, detail: expect.stringContaining(`sent to ${contact} instead`) },
  ])
  const reminders = await mailsTo(app, contact)
  const reference = loan.repayment_to_references[0]!
  expect(reminders.some(mail => mail.text.includes(reference))).toBe(true)
  await createOperatorSession(app, { email: 'ana@lender.example', role: 'reviewer' })
  const ana = await signIn(app, 'ana@lender.example')
  const { data } = await ana.admin('listWork', { query: { kind: 'BORROWER_WITHOUT_EMAIL' } })
  expect(data).toMatchObject([{ thing_id: borrower.id, subject: borrower.name }])

  // The bill is mailed to the partner, and shows that it was sent.
  await until('2027-02-01')
  const bill = await billOf(app, borrower)
  expect(bill).toMatchObject({ status: 'TO_PAY', email_sent_to_payer_on: expect.any(String) })
  const mails = await mailsTo(app, contact)
  expect(mails.some(mail => mail.subject.includes(bill.invoice_number!))).toBe(true)
  const unsent = await alertsOf(app, 'bill_unsent')
  expect(unsent.filter(alert => alert.subject_id === bill.id)).toEqual([])

  const name = { first_name: 'Ada', last_name: 'Moreau' }
  const director = { ...name, business_email: 'ada@moreau.example' }
  await app.client.updateBorrower({ borrower_id: borrower.id, directors: [director] })
  expect(await alertsOf(app, 'borrower_without_email')).toEqual([])
})

story('a bill with no address to mail it to waits until an operator releases it', async tale => {
  const { until } = tale
  // This partner has no company on file, so it has no email address either.
  const app = asSecondPartner(tale.app)
  const borrower = await byNumberAlone(app)
  await app.client.createSandboxIncomingTransfer({
    to_iban: borrower.wallet,
    amount: 90_000,
  })
  await lend(app, borrower, { amount: 50_000, days: 10 })
  await until('2027-02-10')
  const bill = await billOf(app, borrower)
  expect(bill).toMatchObject({ status: 'VALIDATED', email_sent_to_payer_on: null })
  expect(await alertsOf(app, 'bill_unsent')).toMatchObject([{ subject_id: bill.id }])
  expect(bill.payment.status).not.toBe('PAID')
  expect((await app.verify()).findings).toEqual([])
  const state = await app.client.getBorrower({ borrower_id: borrower.id })
  expect(state.status).toBe('READY')

  await createOperatorSession(app, { email: 'bob@lender.example', role: 'reviewer' })
  const bob = await signIn(app, 'bob@lender.example')
  const { data } = await bob.admin('listWork', { query: { kind: 'BILL_UNSENT' } })
  expect(data).toMatchObject([{ thing_id: bill.id, amount: bill.to_pay_amount }])
  const { work } = await bob.admin('getToday')
  expect(work.find(one => one.kind === 'BILL_UNSENT')).toMatchObject({ waiting: 1 })
  const params = { bill_id: bill.id }
  await bob.admin('releaseBill', { params, body: { reason: 'Sent by post' } })
  const released = await billOf(app, borrower)
  expect(released).toMatchObject({ status: 'TO_PAY', email_sent_to_payer_on: null })
  expect(released.due_date >= plusDays(await today(app), 2)).toBe(true)
  expect(await alertsOf(app, 'bill_unsent')).toEqual([])
  const by = await createOperatorId(app)
  const again = asOperator(app, tx => releaseBill(tx.as(by), bill.id, 'Twice'))
  await expect(again).rejects.toMatchObject({ code: 'state_conflict' })

  await until('2027-02-20')
  expect(await billOf(app, borrower)).toMatchObject({ status: 'PAID' })
})
