/** The parts of a full app that are created before and after its months of business days. */

import { sealAudit } from '../../src/back-office/operations/index.ts'
import { changeProduct, readProductViews } from '../../src/companies/borrowers/index.ts'
import {
  confirmProposal,
  enterCompany,
  readEntry,
  screenCompany,
} from '../../src/companies/company-files/index.ts'
import {
  addScorecard,
  overrideLimit,
  scorecardInForce,
} from '../../src/companies/credit-lines/index.ts'
import { matchSuspense } from '../../src/credit/repayments/index.ts'
import { folderExchange } from '../../src/integrations/adapters/file-bank/transport/folder.ts'
import { manualRegistry } from '../../src/integrations/adapters/manual/registry.ts'
import {
  activateSwitch,
  deactivateSwitch,
  sendBackSuspense,
} from '../../src/money/payments/index.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { addDays, day } from '../../src/platform/kit/dates.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { statementFile } from '../adapters/file-bank/statement-files.ts'
import {
  filesOf,
  makeFolders,
  orderOf,
  putIncoming,
  reportOf,
  testFileBank,
} from '../adapters/file-bank/support.ts'
import type { TestApp } from '../support/app.ts'
import { activeCard, authorize, spend } from '../support/cards.ts'
import { ENTRY, EVIDENCE } from '../support/companies.ts'
import { approvedDecision, sendPlanned } from '../support/decisions.ts'
import { validInvoice } from '../support/invoices.ts'
import { billsOf, type Loan, lend, payIn } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { openCase, planFor } from '../support/recollection.ts'
import { sealBooks } from '../support/seal.ts'
import { plusDays, type ReadyBorrower, readyBorrower, today } from '../support/story.ts'

/** The number of loans that this file adds: one referred, one with a plan, one from cards. */
export const LOANS_OF_LIVES = 3

const inTransaction = <T>({ context }: TestApp, work: (tx: Tx) => Promise<T>) =>
  transaction(context.database, { partners: '*', actor: 'service' }, work)

/**
 * Creates what must exist while the months pass: a fee, a referred loan, a plan, a card with
 * spending.
 */
export async function beforeMonths(app: TestApp): Promise<void> {
  await refer(app)
  await spendByCard(app)
  const day = await today(app)
  const debtor = await readyBorrower(app)
  const loan = await lend(app, debtor, { amount: 60_000, days: 30 })
  const { id } = await openCase(app, debtor, { loan_ids: [loan.id] })
  await planFor(app, id, {
    number_of_installment: 3,
    period: 'weekly',
    start_date: plusDays(day, 10),
    recollection_fees: 1_001,
    repayment_method: 'DIRECT_DEBIT',
  })
}

/** A borrower referred by a broker, on a product with a monthly fee. */
async function refer(app: TestApp): Promise<void> {
  const { client } = app
  const actor = await createOperatorId(app)
  await asOperator(app, async tx => {
    const wallet = (await readProductViews(tx)).find(one => one.product_type === 'WALLET_FINANCING')
    const input = { change: { monthly_fee: 990 }, reason: 'The new price list.' }
    await changeProduct(tx.as(actor), wallet!.id, input)
  })
  const made = await client.generateSandboxBusiness({ is_borrower: true })
  const { id } = await client.createBorrower({ ...made, metadata: { referral_code: 'CODE' } })
  const { now } = await client.getSandboxClock()
  const signed = await client.signBorrower({ borrower_id: id!, signed_at: now })
  const borrower = { ...signed, id: id!, account_number: made.account_number! }
  const { data } = await client.listBorrowerFinancialProducts({ borrower_id: id! })
  const ids = data.map(one => one.financial_product.configuration.subscription.subscription_id)
  await client.activateSubscription({ subscription_id: ids.find(one => one !== null)! })
  await lend(app, borrower, { amount: 200_000, days: 10 })
}

/** Authorizes, clears and declines card payments; one authorization stays open until it expires. */
async function spendByCard(app: TestApp): Promise<void> {
  const card = await activeCard(app)
  await spend(app, card, 4_200)
  await authorize(app, card, 9_000_000)
  await authorize(app, card, 1_000)
  await app.drain()
}

/** Does the work of an operator, an agent and a reviewer, and leaves some of it unfinished. */
export async function afterMonths(
  app: TestApp,
  known: { readonly paying: ReadyBorrower; readonly half: Loan },
): Promise<void> {
  const { paying, half } = known
  const bill_ids = (await billsOf(app, paying)).map(bill => bill.id)
  await openCase(app, paying, { bill_ids })
  const [ada, bob] = [await createOperatorId(app), await createOperatorId(app)]
  await decide(app, paying)
  await review(app, paying)
  await place(app, ada, half)
  await inTransaction(app, tx => rule(tx, ada, bob, paying))
  await exchangeBankFiles(app)
  await app.drain()
  await sealBooks(app.context)
  await inTransaction(app, tx => sealAudit(tx, 0))
  // Not sealed, so that a test of older files can leave it out.
  await inTransaction(app, tx => checkCompany(tx, ada, bob))
}

/** Enters a company and screens it, with a hit that waits for a second operator. */
async function checkCompany(tx: Tx, ada: string, bob: string): Promise<void> {
  // Entries are stored as answers where no registry answers at once.
  const ports = { registry: manualRegistry() }
  const body = { ...ENTRY, identifier: '552100554' }
  const { meaning } = readEntry(body, tx.today)
  await confirmProposal(tx.as(bob), await enterCompany(tx.as(ada), meaning!, body), ports)
  const { company_key } = meaning!
  const subject = { subject_kind: 'COMPANY', subject_name: ENTRY.name } as const
  const searched = { lists: 'EU\tlist', hits: ['A namesake'], evidence: EVIDENCE }
  await screenCompany(tx.as(ada), company_key, { ...subject, ...searched })
}

/** Orders at a file bank, of which one was sent and rejected, and a statement that came. */
async function exchangeBankFiles({ context: { database } }: TestApp): Promise<void> {
  const folders = makeFolders()
  const bank = testFileBank({ database, files: folderExchange(folders), inbox: async () => {} })
  const sent = orderOf({ requested_on: day('2026-01-05') })
  await bank.submit(sent)
  await bank.submit(orderOf({ requested_on: day('2099-01-05') }))
  await bank.exchange()
  const [file] = await filesOf(database)
  const { message_id } = file!
  putIncoming(folders, 'report.xml', reportOf({ message_id, group: 'RJCT', reason: 'FF01' }))
  putIncoming(folders, 'tabs.txt', 'Tabs\tand\nlines \\.')
  const text = 'Tabs\tand lines \\.'
  const entries = [{ amount: 1_200n, details: [{ amount: 1_200n, text }] }]
  const { collection_iban: account } = database.settings.lender
  putIncoming(folders, 'statement.xml', statementFile({ id: 'S1', account, entries }))
  await bank.exchange()
  await bank.exchange()
}

/** Leaves one decision proposed, executes another, and begins a third with a repeated step. */
async function decide(app: TestApp, paying: ReadyBorrower): Promise<void> {
  const path = `/borrower/${paying.id}`
  const steps = ['Tabs\tand\nlines \\.', 'two'].map(text => ({
    method: 'PATCH' as const,
    path,
    body: { metadata: { text } },
  }))
  await approvedDecision(app, steps, { approve: false })
  const done = await approvedDecision(app, steps)
  for (const step of steps) await sendPlanned(app, step, { headers: { 'x-decision-id': done.id } })
  const begun = await approvedDecision(app, steps)
  for (const step of [steps[0]!, steps[0]!]) {
    await sendPlanned(app, step, { headers: { 'x-decision-id': begun.id } })
  }
}

/** Declares three invoices, of which one is verified, one declined and one still pending. */
async function review(app: TestApp, { identifier }: ReadyBorrower): Promise<void> {
  const { client } = app
  const day = await today(app)
  await client.setSandboxInvoiceReview({ review: 'ALL' })
  const ids: string[] = []
  for (let i = 0; i < 3; i++) {
    const dates = { issued_at: plusDays(day, -5), due_at: plusDays(day, 40) }
    const { id } = await client.createInvoice({
      ...(await validInvoice({ seller: { identifier } })),
      ...dates,
    })
    ids.push(id)
  }
  const [verified, declined] = ids
  await client.reviewSandboxInvoice({ invoice_id: verified!, status: 'VERIFIED' })
  await client.reviewSandboxInvoice({
    invoice_id: declined!,
    status: 'DECLINED',
    reason: 'LOAN_REQUEST_EXPIRED',
  })
  await client.setSandboxInvoiceReview({ review: 'NONE' })
}

/** Matches one unmatched payment and returns another. */
async function place(app: TestApp, by: string, half: Loan): Promise<void> {
  for (const amount of [778, 779]) await payIn(app, { to: half, amount, reference: 'nobody' })
  const { rows } = await app.context.database.pool.query(
    'select id from suspense_items where amount in (778, 779) order by amount',
  )
  const [matched, unknown] = rows as { id: string }[]
  await inTransaction(app, tx => matchSuspense(tx.as(by), matched!.id, half.id))
  await inTransaction(app, tx => sendBackSuspense(tx.as(by), unknown!.id))
}

/**
 * Overrides a limit twice, adds a scorecard that takes effect later, and activates and deactivates
 * a kill switch.
 */
async function rule(tx: Tx, ada: string, bob: string, paying: ReadyBorrower): Promise<void> {
  const { rows: lines } = await tx.raw(
    'select id from credit_lines where borrower_id = $1 and closed_at is null',
    [paying.id],
  )
  const input = { credit_line_id: lines[0]!.id, reason: 'Stock', until_on: null }
  await overrideLimit(tx.as(ada), { ...input, pool_amount: 4_000_000n })
  await overrideLimit(tx.as(ada), { ...input, pool_amount: 19_000_000n })
  const { rules } = await scorecardInForce(tx)
  const in_force_from = addDays(day(tx.today), 100)
  await addScorecard(tx.as(bob), {
    version: 'full-house.1',
    in_force_from,
    reason: 'Later',
    rules,
  })
  await activateSwitch(tx.as(ada), { kind: 'collections', partner_id: LENDER_ID }, 'A look')
  await deactivateSwitch(tx.as(bob), { kind: 'collections', partner_id: LENDER_ID })
}
