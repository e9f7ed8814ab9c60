/**
 * A refused mail is never shown as sent, operators are alerted, and a refused bill waits. The
 * stories have a server of their own, because others count all alerts and unsent bills.
 */
import { NewReferrer } from '@headroom/contract'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { holdRefusedBill } from '../../src/credit/bills/index.ts'
import { findPartnerCompany, setPartnerCompany } from '../../src/money/partner-terms/index.ts'
import { createReferrer } from '../../src/partners/referrers/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { createOperatorSession, type Person, signIn } from '../support/console.ts'
import { lend } from '../support/money.ts'
import { asSecondPartner, PARTNER_COMPANY } from '../support/partner-terms.ts'
import { plusDays, today } from '../support/story.ts'

const story = calendar('2027-01-11')
const REASON = /^550 5\.1\.1 refused@/

let people = 0
async function reviewer(app: TestApp): Promise<Person> {
  const email = `refusals${++people}@lender.example`
  await createOperatorSession(app, { email, role: 'reviewer' })
  return signIn(app, email)
}

const alertsAbout = async (person: Person, subject_id: string) =>
  (await person.admin('listAlerts')).data.filter(alert => alert.subject_id === subject_id)

/** A borrower with a valid address, which can be changed to one that refuses mails. */
async function borrowerOf({ client }: TestApp, metadata: Record<string, string> = {}) {
  const made = await client.generateSandboxBusiness({ is_borrower: true })
  const { id: borrower_id } = await client.createBorrower({ ...made, metadata })
  const { now } = await client.getSandboxClock()
  const borrower = await client.signBorrower({ borrower_id, signed_at: now })
  return { ...borrower, id: borrower_id, account_number: made.account_number }
}

async function moveTo({ client }: TestApp, borrower_id: string, business_email: string) {
  const name = { first_name: 'Ada', last_name: 'Moreau' }
  await client.updateBorrower({ borrower_id, directors: [{ ...name, business_email }] })
}

const mailboxOf = async ({ client }: TestApp, to: string) =>
  (await client.listSandboxMailbox({ to, page_size: 500 })).data

const billOf = async ({ client }: TestApp, borrower_id: string) =>
  (await client.listBills({ business_id: [borrower_id] })).data[0]!

story('a bill whose only mail was refused waits until it is released', async tale => {
  const { app, until } = tale
  const borrower = await borrowerOf(app)
  const to = `refused@${borrower.id}.example`
  await moveTo(app, borrower.id, to)
  await lend(app, borrower, { amount: 50_000, days: 10 })
  const bob = await reviewer(app)
  const [contract] = await mailboxOf(app, to)
  expect(contract).toMatchObject({
    sent_at: null,
    refused_at: expect.any(String),
    refused_because: expect.stringMatching(REASON),
  })
  const [alert] = await alertsAbout(bob, borrower.id)
  expect(alert).toMatchObject({ kind: 'mail_refused' })
  expect(alert!.detail).toContain(borrower.name)
  expect(alert!.detail).toContain(contract!.subject)
  expect(alert!.detail).toContain(to)

  await until('2027-02-01')
  await app.drain()
  const bill = await billOf(app, borrower.id)
  expect(bill).toMatchObject({ status: 'VALIDATED', email_sent_to_payer_on: null })
  expect(await alertsAbout(bob, bill.id)).toMatchObject([
    { kind: 'bill_unsent', detail: expect.stringContaining(bill.invoice_number!) },
  ])
  const alerts = await alertsAbout(bob, borrower.id)
  const mails = await mailboxOf(app, to)
  expect(mails.every(mail => mail.sent_at === null)).toBe(true)
  expect(alerts).toHaveLength(1)
  expect(alerts[0]!.detail).toContain(`${mails.length} mails were refused`)
  const { data } = await bob.admin('listWork', { query: { kind: 'BILL_UNSENT' } })
  expect(data.map(one => one.thing_id)).toContain(bill.id)

  // It is neither debited nor overdue. A corrected address does not clear the alert.
  await until('2027-02-15')
  await moveTo(app, borrower.id, 'ada@moreau.example')
  expect(await alertsAbout(bob, borrower.id)).toHaveLength(1)
  const waiting = await billOf(app, borrower.id)
  expect(waiting).toMatchObject({ status: 'VALIDATED', payment: { status: 'SCHEDULED' } })
  expect(await app.client.getBorrower({ borrower_id: borrower.id })).toMatchObject({
    status: 'READY',
  })
  await bob.admin('releaseBill', { params: { bill_id: bill.id }, body: { reason: 'By phone' } })
  const released = await billOf(app, borrower.id)
  expect(released).toMatchObject({ status: 'TO_PAY', email_sent_to_payer_on: null })
  expect(released.due_date >= plusDays(await today(app), 2)).toBe(true)
  expect(await alertsAbout(bob, bill.id)).toEqual([])
  await until('2027-02-25')
  expect(await billOf(app, borrower.id)).toMatchObject({ status: 'PAID' })
  expect((await app.verify()).findings).toEqual([])
})

/** A borrower without an e-mail address, whose partner's company has these; it has a loan. */
async function mailedThroughPartner(app: TestApp, emails: readonly string[]): Promise<string> {
  const { database } = app.context
  const company = { ...PARTNER_COMPANY, emails, partner_id: app.partner_id, sends_bills: false }
  const found = await findPartnerCompany(app.context, company)
  await transaction(database, { partners: '*', actor: 'command line' }, tx =>
    setPartnerCompany(tx, found),
  )
  const made = await app.client.generateSandboxBusiness({ is_borrower: true })
  const { id: borrower_id } = await app.client.createBorrower({ identifier: made.identifier })
  const { now } = await app.client.getSandboxClock()
  const borrower = await app.client.signBorrower({ borrower_id, signed_at: now })
  await app.client.addRepaymentMethod({
    borrower_id,
    payment_method: 'SCT',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  })
  const account_number = made.account_number!
  await lend(app, { ...borrower, id: borrower_id, account_number }, { amount: 50_000, days: 10 })
  return borrower_id
}

story('of several mails with a bill, one that is sent is enough', async tale => {
  const { app, until } = tale
  const second = asSecondPartner(app)
  const all = await mailedThroughPartner(app, ['refused@a.example', 'refused@b.example'])
  const half = await mailedThroughPartner(second, ['refused@a.example', 'bills@b.example'])
  await until('2027-02-01')
  await app.drain()
  expect(await billOf(app, all)).toMatchObject({
    status: 'VALIDATED',
    email_sent_to_payer_on: null,
  })
  expect(await billOf(second, half)).toMatchObject({
    status: 'TO_PAY',
    email_sent_to_payer_on: expect.any(String),
  })
  const cleo = await reviewer(app)
  const kinds = (await alertsAbout(cleo, half)).map(alert => alert.kind)
  expect(kinds).toContain('mail_refused')
})

story(
  'the debit of a refused bill is recalled, and planned again once it is released',
  async tale => {
    const { app, until } = tale
    const borrower = await borrowerOf(app)
    await lend(app, borrower, { amount: 50_000, days: 10 })
    await until('2027-02-01')
    await app.drain()
    const bill = await billOf(app, borrower.id)
    expect(bill).toMatchObject({ status: 'TO_PAY', payment: { status: 'INSTRUCTED' } })
    // As if the mail server had answered only now.
    await app.context.database.pool.query(
      `update mails set sent_at = null, refused_at = now(), refused_because = $2
       where bill_id = $1`,
      [bill.id, '550 No such user'],
    )
    await transaction(app.context.database, { partners: '*', actor: 'service' }, tx =>
      holdRefusedBill(tx, {
        partner_id: app.partner_id,
        borrower_id: borrower.id,
        bill_id: bill.id,
        revenue_share_id: null,
        recipient: 'a@b.example',
        subject: 'Bill',
        reason: '550 No such user',
      }),
    )
    await app.drain()
    const payments = async () => {
      const rows = await transaction(app.context.database, { partners: '*', read_only: true }, tx =>
        tx.all(sql<{ status: string }>`
            select status from payments where bill_id = ${bill.id} order by status`),
      )
      return rows.map(payment => payment.status)
    }
    expect(await billOf(app, borrower.id)).toMatchObject({
      status: 'VALIDATED',
      email_sent_to_payer_on: null,
    })
    expect(await payments()).toEqual(['CANCELED', 'SCHEDULED'])
    await until('2027-02-10')
    expect(await payments()).toEqual(['CANCELED', 'SCHEDULED'])
    const dan = await reviewer(app)
    await dan.admin('releaseBill', { params: { bill_id: bill.id }, body: { reason: 'By post' } })
    await until('2027-02-20')
    expect(await payments()).toEqual(['CANCELED', 'PAID'])
    expect(await billOf(app, borrower.id)).toMatchObject({ status: 'PAID' })
  },
)

story('a revenue share counts as mailed only if one of its mails was sent', async tale => {
  const { app, until } = tale
  const referrerOf = (code: string, notification_emails: string[]) => {
    const input = NewReferrer.parse({
      partner_id: app.partner_id,
      name: `Broker ${code}`,
      identifier: '404833048',
      referral_codes: [code],
      revenue_share_rate: 10,
      notification_emails,
      account_number: 'FR7630006000011234567890189',
    })
    return transaction(app.context.database, { partners: '*', actor: 'service' }, tx =>
      createReferrer(tx, input),
    )
  }
  const refused = await referrerOf('NONE', ['refused@a.example', 'refused@b.example'])
  const half = await referrerOf('HALF', ['refused@a.example', 'broker@b.example'])
  for (const referral_code of ['NONE', 'HALF']) {
    const borrower = await borrowerOf(app, { referral_code })
    await lend(app, borrower, { amount: 100_000, days: 10 })
  }
  await until('2027-03-01')
  await app.drain()
  const shareOf = async (referrer_id: string) => {
    const { revenue_shares } = await app.client.getReferrer({ referrer_id })
    return revenue_shares[0]!
  }
  expect(await shareOf(half)).toMatchObject({ status: 'SENT_BY_EMAIL' })
  const share = await shareOf(refused)
  expect(share).toMatchObject({ status: 'CREATED' })
  const ann = await reviewer(app)
  const [alert] = await alertsAbout(ann, app.partner_id)
  expect(alert).toMatchObject({ kind: 'mail_refused' })
  expect(alert!.detail).toContain('3 mails were refused')
  // Its invoice is paid all the same.
  const document_binary_base64 = Buffer.from('%PDF-1.7\nan invoice').toString('base64')
  const invoiced = await app.client.uploadRevenueShareInvoice({
    referrer_id: refused,
    revenue_share_id: share.id,
    document_name: 'invoice.pdf',
    document_binary_base64,
  })
  expect(invoiced).toMatchObject({ status: 'CREATED', email_sent_on: null, email_sent_to: [] })
  await until('2027-03-04')
  expect(await shareOf(refused)).toMatchObject({ status: 'PAID' })
})
