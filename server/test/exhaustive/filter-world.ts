/** A full app with more rows, so that filters find some rows of a list and leave out others. */
import { deliverDue } from '../../src/partners/webhooks/index.ts'
import { assert } from '../../src/platform/kit/assert.ts'
import { fullApp } from '../commands/full-app.ts'
import type { TestApp } from '../support/app.ts'
import { activeCard, spend } from '../support/cards.ts'
import { invoiceLoan } from '../support/invoice-loans.ts'
import { validInvoice } from '../support/invoices.ts'
import { billsOf, lend, loanOf, payIn } from '../support/money.ts'
import { openCase, planFor } from '../support/recollection.ts'
import {
  plusDays,
  type ReadyBorrower,
  readyBorrower,
  requestLoan,
  today,
} from '../support/story.ts'
import { startReceiver, status } from '../webhooks/receiver.ts'
import type { Row } from './filter-kinds.ts'

/** The app, and what the test knows about it beyond a list's own rows. */
export interface Known {
  readonly app: TestApp
  readonly today: string
  /** The account numbers of borrowers' accounts, by account ID. */
  readonly accounts: ReadonlyMap<string, string>
  readonly invoices: ReadonlyMap<string, Row>
  /** The payout time of each loan; null if not paid out. */
  readonly paid: ReadonlyMap<string, string | null>
  /** The IDs of each installment's loans. */
  readonly installments: ReadonlyMap<string, readonly string[]>
  /** IDs of resources that have lists, by the names of their path parameters. */
  readonly ids: Readonly<Record<string, readonly string[]>>
}

export async function filterWorld(): Promise<Known> {
  const app = await fullApp()
  const { client } = app
  await creditABill(app)
  const seller = await readyBorrower(app, 'SCT')
  const debited = await readyBorrower(app)
  await financeInvoices(app, seller)
  await changeLoans(app, debited)
  await closeCase(app, debited)
  const card = await activeCard(app, debited)
  await spend(app, card, 1_500)
  await client.advanceSandboxClock({ to: plusDays(await today(app), 8) })
  await spend(app, card, 2_500)
  await declareStranger(app)
  await deliver(app)
  const { data } = await client.listSandboxBankInstructions({ status: ['SETTLED'] })
  const debit = data.find(one => one.kind === 'SDD')
  await client.refundSandboxInstruction({ instruction_id: debit!.id })
  await app.drain()
  return know(app)
}

/** Backdates a repayment so that a paid bill was too high and the next bill credits the excess. */
async function creditABill(app: TestApp): Promise<void> {
  const { client } = app
  const borrower = await readyBorrower(app)
  const paid_on = await today(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  const [first, second] = [1, 2].map(months => firstOfMonthAfter(paid_on, months))
  await client.advanceSandboxClock({ to: plusDays(first!, 9) })
  await payIn(app, { to: loan, amount: 100_000, value_date: plusDays(paid_on, 1) })
  await client.advanceSandboxClock({ to: plusDays(second!, 1) })
  const kinds = (await billsOf(app, borrower)).map(bill => bill.kind)
  assert(kinds.includes('CREDIT_NOTE'), 'the second bill credits what the first one took')
}

function firstOfMonthAfter(day: string, months: number): string {
  const [year, month] = day.split('-').map(Number)
  return new Date(Date.UTC(year!, month! - 1 + months, 1)).toISOString().slice(0, 10)
}

/**
 * Requests two loans, each on an invoice to a different buyer, and drafts another invoice to the
 * second buyer.
 */
async function financeInvoices(app: TestApp, seller: ReadyBorrower): Promise<void> {
  const { client } = app
  const day = await today(app)
  const invoice = async (buyer: string, changes: object) =>
    client.createInvoice({
      ...(await validInvoice({
        seller: { identifier: seller.identifier },
        buyer: { identifier: buyer },
      })),
      issued_at: plusDays(day, -5),
      due_at: plusDays(day, 40),
      ...changes,
    })
  const first = await invoice('404833048', { invoice_number: '100%_sure' })
  const second = await invoice('552100554', {})
  await invoice('552100554', { is_draft: true })
  const undecided = { to_repay_at: plusDays(day, 30), wait_for_validation: false }
  const { id } = await client.createLoan(
    invoiceLoan(seller, day, {
      ...undecided,
      amount: 30_000,
      salt_id: 'two%_invoices',
      invoice_ids: [first.id],
    }),
  )
  await app.drain()
  await client.advanceSandboxClock({ days: 1 })
  await client.createLoan(
    invoiceLoan(seller, plusDays(day, 1), {
      ...undecided,
      amount: 20_000,
      salt_id: 'later',
      invoice_ids: [second.id],
    }),
  )
  await app.drain()
  await loanOf(app, id)
}

/** Postpones one loan, cancels one, leaves one to be validated and requests one too large. */
async function changeLoans(app: TestApp, borrower: ReadyBorrower): Promise<void> {
  const { client } = app
  const put = await lend(app, borrower, { amount: 7_000, days: 20 })
  for (const purse of ['one', 'two']) {
    await client.openWallet({ borrower_id: borrower.id, metadata: { purse } })
  }
  await client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'SCT',
    is_default_repayment_method: false,
    apply_to_all_active_loans: false,
  })
  const later = plusDays(put.to_repay_at.slice(0, 10), 7)
  await client.changeLoan({ loan_id: put.id, to_repay_at: later })
  const dropped = await requestLoan(app, borrower, { amount: 800, auto_validate: false })
  await client.cancelLoan({ loan_id: dropped.id })
  await requestLoan(app, borrower, { amount: 900, auto_validate: false })
  await requestLoan(app, borrower, { amount: 99_000_000 })
}

/** Opens a case against a German company, and closes a case that has a plan. */
async function closeCase(app: TestApp, borrower: ReadyBorrower): Promise<void> {
  const { client } = app
  const german = await readyBorrower(app, 'SCT', 'DEU')
  const other = await lend(app, german, { amount: 5_000, days: 30 })
  await openCase(app, german, { loan_ids: [other.id] })
  const loan = await lend(app, borrower, { amount: 6_000, days: 30 })
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const start_date = plusDays(await today(app), 9)
  await planFor(app, id, { number_of_installment: 2, start_date, repayment_method: 'SCT' })
  await client.closeRecollectionCase({ recollection_case_id: id, reason: 'Agreed otherwise' })
}

/** Creates counterparties without a financed invoice. */
async function declareStranger({ client }: TestApp): Promise<void> {
  const stranger = { identifier: 'Nowhere Ltd', identifier_type: 'name' as const }
  await client.createCounterparty({ ...stranger, relation_types: ['MARKETPLACE_BUYER', 'CLIENT'] })
  const dutch = { identifier: '12345678', identifier_type: 'kvk' as const }
  await client.createCounterparty({ ...dutch, relation_types: ['SUPPLIER'] })
}

/** Delivers one event to a receiver, which then refuses the next. */
async function deliver(app: TestApp): Promise<void> {
  const { client } = app
  await using receiver = await startReceiver()
  const made = { name: 'deliveries', to_url: receiver.url }
  const { id } = await client.createWebhook({ ...made, event_types: ['Wallet.OPENED'] })
  const send = async () => {
    await client.testWebhook({ webhook_id: id })
    await app.drain()
    await deliverDue(app.context, new Date())
  }
  await send()
  receiver.answer = status(410)
  await send()
}

async function know(app: TestApp): Promise<Known> {
  const { client } = app
  const accounts = new Map<string, string>()
  const { data: borrowers } = await client.listBorrowers({})
  for (const { accounts: own } of borrowers) {
    for (const one of own) accounts.set(one.id, one.account_number)
  }
  const { data: invoices } = await client.listInvoices({})
  const { data: loans } = await client.listLoans({})
  const installments = new Map<string, string[]>()
  const { data: all } = await client.listInstallments({})
  for (const installment_plan_id of new Set(all.map(one => one.installment_plan_id))) {
    const plan = await client.getInstallmentPlan({ installment_plan_id })
    for (const { id, loans } of plan.installments) {
      installments.set(
        id,
        loans.map(l => l.loan_id),
      )
    }
  }
  for (const { id } of borrowers) await billsOf(app, { id })
  return {
    app,
    accounts,
    installments,
    today: await today(app),
    invoices: new Map(invoices.map(one => [one.id, one])),
    paid: new Map(loans.map(loan => [loan.id, loan.paid_at])),
    ids: {
      loan_id: loans.slice(0, 4).map(loan => loan.id),
      borrower_id: borrowers.map(borrower => borrower.id),
      card_id: (await client.listCards({})).map(card => card.id),
      webhook_id: (await client.listWebhooks({})).data.map(webhook => webhook.id),
    },
  }
}
