/** A database with rows in nearly every table, some of their work still pending. */
import { NewReferrer } from '@headroom/contract'
import pg from 'pg'
import { inject } from 'vitest'
import { createReferrer } from '../../src/partners/referrers/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { asAdmin } from '../support/admin.ts'
import { type PartnerKeys, type TestApp, testApp } from '../support/app.ts'
import { validInvoice } from '../support/invoices.ts'
import { billsOf, lend, payIn, referenceOf } from '../support/money.ts'
import { agree, PARTNER_COMPANY } from '../support/partner-terms.ts'
import {
  plusDays,
  type ReadyBorrower,
  readyBorrower,
  requestLoan,
  today,
} from '../support/story.ts'
import { afterMonths, beforeMonths, LOANS_OF_LIVES } from './full-app-data.ts'

export const LOANS = 5 + LOANS_OF_LIVES
/**
 * A timeout for building the app, which runs months of business days, or for starting a dozen
 * processes on its data.
 */
export const MONTHS_MS = 240_000
const GONE_MS = 10_000

/** The template database; its comment holds the partners' keys. */
const TEMPLATE = 'full_house'

/** A copy of the full app. The first test file of a run builds the template. */
export async function fullApp(): Promise<TestApp> {
  const admin = new pg.Client(inject('admin'))
  await admin.connect()
  try {
    // Other test workers wait for the one that builds the template.
    await admin.query('select pg_advisory_lock(hashtext($1))', [TEMPLATE])
    const keys = (await keysOf(admin)) ?? (await buildTemplate(admin))
    return await testApp({ work: false, copy: { template: TEMPLATE, keys } })
  } finally {
    await admin.end()
  }
}

async function keysOf(admin: pg.Client): Promise<PartnerKeys | null> {
  const { rows } = await admin.query(
    `select shobj_description(oid, 'pg_database')::json as keys from pg_database
     where datname = $1`,
    [TEMPLATE],
  )
  return rows[0]?.keys ?? null
}

async function buildTemplate(admin: pg.Client): Promise<PartnerKeys> {
  const app = await buildFullApp()
  const { partner_id, second_partner_id, key, agent_key, second_key, context } = app
  const keys = { partner_id, second_partner_id, key, agent_key, second_key }
  const { database } = context.database.pool.options
  await admin.query(
    `select pg_terminate_backend(pid, $2) from pg_stat_activity
     where datname = $1 and backend_type = 'client backend'`,
    [database, GONE_MS],
  )
  await asAdmin(`create database ${TEMPLATE} template ${database}`)
  await asAdmin(`comment on database ${TEMPLATE} is '${JSON.stringify(keys)}'`)
  return keys
}

/**
 * One loan closed with its bills, one half repaid, one on an invoice, one in installments, one
 * pending with its jobs, and unmatched payments; plus cards, debtors, operators and agents.
 */
async function buildFullApp(): Promise<TestApp> {
  const app = await testApp({ work: false })
  const { client } = app
  await client.createWebhook({
    name: 'Tabs\tand\nlines \\.',
    to_url: 'http://127.0.0.1:9/nobody',
    event_types: ['Loan.TO_REPAY', 'Loan.CLOSED'],
  })
  await meetPartners(app)
  const debited = await readyBorrower(app)
  const paying = await readyBorrower(app, 'SCT')
  const wallet = await client.openWallet({ borrower_id: paying.id })
  await client.createSandboxIncomingTransfer({ to_iban: wallet.account_number, amount: 100 })
  await lend(app, debited, { amount: 123_456, days: 10 })
  const half = await lend(app, paying, { amount: 50_000, days: 30 })
  await beforeMonths(app)
  await client.advanceSandboxClock({ to: plusDays(await today(app), 65) })
  await client.repayNow({ amount: 10_000, base_callback_url: 'https://shop.example/back' })
  await payIn(app, { to: half, amount: 25_000 })
  await payIn(app, { to: half, amount: 777, reference: 'nobody knows' })
  const [bill] = await billsOf(app, paying)
  const both = `${bill!.payment.to_references[0]} ${referenceOf(half)}`
  await payIn(app, { to: half, amount: 1, reference: both })
  await shareSomething(app, paying.identifier)
  await financeInvoice(app, paying)
  await afterMonths(app, { paying, half })
  await storeLender(app)
  // Not drained, so its contract and its payout are still pending jobs.
  await requestLoan(app, debited, { amount: 10_000 })
  return app
}

/** Only a live deployment stores versions of its lender; revision 0 has no effect in a sandbox. */
async function storeLender({ context }: TestApp): Promise<void> {
  await transaction(context.database, { partners: '*', actor: 'service' }, tx =>
    tx.raw(`
      insert into lender_versions (in_force_from, revision, content, hash, version, stored_at)
      values ('2027-01-01', 0, '{}', 'a hash', '{}', now())`),
  )
}

/** Creates partner terms, a referrer, an unfinished onboarding and a borrower with an owner. */
async function meetPartners(app: TestApp): Promise<void> {
  const { client, context, partner_id } = app
  await agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 100 })
  const { iban: account_number, identifier } = PARTNER_COMPANY
  const input = { partner_id, name: 'Broker', identifier, account_number, referral_codes: ['CODE'] }
  const referrer = NewReferrer.parse({
    ...input,
    revenue_share_rate: 10,
    notification_emails: [],
  })
  await transaction(context.database, { partners: '*', actor: 'service' }, tx =>
    createReferrer(tx, referrer),
  )
  const made = await client.generateSandboxBusiness({ is_borrower: true })
  const business = { identifier: made.identifier, identifier_type: made.identifier_type }
  await client.setSandboxEligibility({ business_identifier: business, scenario: 'OK' })
  await client.createOnboarding({ preferred_language: 'fr', business, referral: 'CODE' })
  const { id } = await client.createBorrower(made)
  const front = { filename: 'id.pdf', document_binary_base64: 'JVBERi0=' }
  await client.createOwner({
    borrower_id: id!,
    first_name: 'Ada',
    last_name: 'Byron',
    email: 'ada@example.com',
    identity_documents: { identity_document_front: front },
  })
}

/**
 * Requests a loan on an invoice, with a supporting document, and one in two installments, and
 * fetches the documents of both.
 */
async function financeInvoice(app: TestApp, borrower: ReadyBorrower): Promise<void> {
  const { client } = app
  const day = await today(app)
  const invoice = await client.createInvoice({
    ...(await validInvoice({ seller: { identifier: borrower.identifier } })),
    issued_at: plusDays(day, -5),
    due_at: plusDays(day, 40),
  })
  const common = {
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_pay_at: day,
    to_repay_at: plusDays(day, 20),
    auto_validate: true,
  }
  const paper = {
    document_type: 'time_sheet' as const,
    description: 'hours',
    document_name: 'h.pdf',
  }
  const loan = await client.createLoan({
    ...common,
    loan_type: 'INVOICE_BASED_FINANCING',
    amount: 20_000,
    salt_id: 'invoice',
    to_account: { account_number: borrower.account_number },
    invoice_ids: [invoice.id],
    documents: [{ ...paper, document_binary_base64: 'JVBERi0=' }],
  })
  const parts = [10, 20].map(days => ({ amount: 5_000, date: plusDays(day, days) }))
  const other = await client.createLoan({
    ...common,
    loan_type: 'WALLET_FINANCING',
    amount: 10_000,
    salt_id: 'parts',
    installment_plan_type: 'INSTALLMENTS',
    installments: parts,
  })
  await app.drain()
  await client.fetchLoanDocuments({ document_type: 'all', loan_ids: [loan.id, other.id] })
}

/** Shares accounts, transactions, invoices and activity, and leaves a batch open. */
async function shareSomething(app: TestApp, identifier: string): Promise<void> {
  const { client } = app
  const about = { identifier, identifier_type: 'siren' as const }
  const day = plusDays(await today(app), -5)
  const at = `${day}T00:00:00Z`
  const accounts = [{ id: 'main', amount: 100, last_updated_at: at }]
  await client.shareAccounts({ ...about, accounts })
  await client.shareTransactions({ ...about, transactions: [{ amount: 100, at }] })
  const buyer = { identifier: 'Tabs\tand \\.', identifier_type: 'name' as const }
  const invoice = { invoice_number: 'F-1', issued_at: at, due_at: at, net_amount: 100 }
  const invoices = [{ ...invoice, direction: 'receivable' as const, seller: about, buyer }]
  await client.shareInvoices({ ...about, invoices })
  const periods = [{ from: day, to: day, amount: 100, count: 1 }]
  await client.shareActivity({ ...about, kind: 'PLATFORM', periods })
  const { id } = await client.createDataBatch({
    business_identifier: about,
    context: 'DATA_REFRESH',
    content: {},
  })
  await client.shareAccounts({ ...about, batch_id: id, accounts })
}
