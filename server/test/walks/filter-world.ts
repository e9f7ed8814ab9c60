/** A full house where every list has two rows that differ in each filterable field. */
import { deliverDue } from '../../src/partners/webhooks/index.ts'
import { assert } from '../../src/platform/kit/assert.ts'
import { fullHouse } from '../commands/full-house.ts'
import { activeCard, spend } from '../support/cards.ts'
import type { TestHouse } from '../support/house.ts'
import { anInvoice } from '../support/invoices.ts'
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

/** Facts that rows do not show, by the IDs in the rows. */
export interface Known {
  readonly house: TestHouse
  readonly today: string
  /** The company number behind each account on file. */
  readonly accounts: ReadonlyMap<string, string>
  /** Numbers and names of invoices and their parties, by invoice. */
  readonly invoices: ReadonlyMap<string, Row>
  /** Payout times of loans; null if not paid out. */
  readonly paid: ReadonlyMap<string, string | null>
  /** The loans of each installment. */
  readonly installments: ReadonlyMap<string, readonly string[]>
  readonly loan_ids: readonly string[]
  readonly borrower_ids: readonly string[]
  readonly card_ids: readonly string[]
  readonly webhook_ids: readonly string[]
}

export async function filterWorld(): Promise<Known> {
  const house = await fullHouse()
  const { client } = house
  await creditABill(house)
  const seller = await readyBorrower(house, 'SCT')
  const debited = await readyBorrower(house)
  await financeInvoices(house, seller)
  await changeLoans(house, debited)
  await closeCase(house, debited)
  const card = await activeCard(house, debited)
  await spend(house, card, 1_500)
  await client.advanceSandboxClock({ to: plusDays(await today(house), 8) })
  await spend(house, card, 2_500)
  await declareStranger(house)
  await deliver(house)
  const { data } = await client.listSandboxBankInstructions({ status: ['SETTLED'] })
  const debit = data.find(one => one.kind === 'SDD')
  await client.refundSandboxInstruction({ instruction_id: debit!.id })
  await house.drain()
  return know(house)
}

/** A paid bill that proves too high too late, so the next one credits it. */
async function creditABill(house: TestHouse): Promise<void> {
  const { client } = house
  const borrower = await readyBorrower(house)
  const paid_on = await today(house)
  const loan = await lend(house, borrower, { amount: 100_000, days: 45 })
  const [first, second] = [1, 2].map(months => firstOfMonthAfter(paid_on, months))
  await client.advanceSandboxClock({ to: plusDays(first!, 9) })
  await payIn(house, { to: loan, amount: 100_000, value_date: plusDays(paid_on, 1) })
  await client.advanceSandboxClock({ to: plusDays(second!, 1) })
  const kinds = (await billsOf(house, borrower)).map(bill => bill.kind)
  assert(kinds.includes('CREDIT_NOTE'), 'the second bill credits what the first one took')
}

function firstOfMonthAfter(day: string, months: number): string {
  const [year, month] = day.split('-').map(Number)
  return new Date(Date.UTC(year!, month! - 1 + months, 1)).toISOString().slice(0, 10)
}

/** A loan on two invoices to two buyers, and a draft with one of them as seller. */
async function financeInvoices(house: TestHouse, seller: ReadyBorrower): Promise<void> {
  const { client } = house
  const day = await today(house)
  const invoice = async (buyer: string, changes: object) =>
    client.createInvoice({
      ...(await anInvoice({
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
  const { id } = await client.createLoan({
    loan_type: 'INVOICE_BASED_FINANCING',
    amount: 30_000,
    salt_id: 'two%_invoices',
    borrower: { identifier: seller.identifier },
    loan_to: { account_number: seller.account_number },
    to_account: { account_number: seller.account_number },
    to_pay_at: day,
    to_repay_at: plusDays(day, 30),
    auto_validate: true,
    invoice_ids: [first.id],
  })
  await house.drain()
  await client.advanceSandboxClock({ days: 1 })
  await client.createLoan({
    loan_type: 'INVOICE_BASED_FINANCING',
    amount: 20_000,
    salt_id: 'later',
    borrower: { identifier: seller.identifier },
    loan_to: { account_number: seller.account_number },
    to_account: { account_number: seller.account_number },
    to_pay_at: plusDays(day, 1),
    to_repay_at: plusDays(day, 30),
    auto_validate: true,
    invoice_ids: [second.id],
  })
  await house.drain()
  await loanOf(house, id)
}

/** One loan postponed, one canceled, one waiting for its partner, one declined. */
async function changeLoans(house: TestHouse, borrower: ReadyBorrower): Promise<void> {
  const { client } = house
  const put = await lend(house, borrower, { amount: 7_000, days: 20 })
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
  const dropped = await requestLoan(house, borrower, { amount: 800, auto_validate: false })
  await client.cancelLoan({ loan_id: dropped.id })
  await requestLoan(house, borrower, { amount: 900, auto_validate: false })
  await requestLoan(house, borrower, { amount: 99_000_000 })
}

/** A case with a finished plan, in addition to those still running. */
async function closeCase(house: TestHouse, borrower: ReadyBorrower): Promise<void> {
  const { client } = house
  const german = await readyBorrower(house, 'SCT', 'DEU')
  const other = await lend(house, german, { amount: 5_000, days: 30 })
  await openCase(house, german, { loan_ids: [other.id] })
  const loan = await lend(house, borrower, { amount: 6_000, days: 30 })
  const { id } = await openCase(house, borrower, { loan_ids: [loan.id] })
  const start_date = plusDays(await today(house), 9)
  await planFor(house, id, { number_of_installment: 2, start_date, repayment_method: 'SCT' })
  await client.closeRecollectionCase({ recollection_case_id: id, reason: 'Agreed otherwise' })
}

/** Counterparties without any financed invoice. */
async function declareStranger({ client }: TestHouse): Promise<void> {
  const stranger = { identifier: 'Nowhere Ltd', identifier_type: 'name' as const }
  await client.createCounterparty({ ...stranger, relation_types: ['MARKETPLACE_BUYER', 'CLIENT'] })
  const dutch = { identifier: '12345678', identifier_type: 'kvk' as const }
  await client.createCounterparty({ ...dutch, relation_types: ['SUPPLIER'] })
}

/** Delivered events, and one that can never be delivered. */
async function deliver(house: TestHouse): Promise<void> {
  const { client } = house
  await using receiver = await startReceiver()
  const made = { name: 'deliveries', to_url: receiver.url }
  const { id } = await client.createWebhook({ ...made, event_types: ['Wallet.OPENED'] })
  const send = async () => {
    await client.testWebhook({ webhook_id: id })
    await house.drain()
    await deliverDue(house.context, new Date())
  }
  await send()
  receiver.answer = status(410)
  await send()
}

async function know(house: TestHouse): Promise<Known> {
  const { client } = house
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
  for (const { id } of borrowers) await billsOf(house, { id })
  return {
    house,
    accounts,
    installments,
    today: await today(house),
    invoices: new Map(invoices.map(one => [one.id, one])),
    paid: new Map(loans.map(loan => [loan.id, loan.paid_at])),
    loan_ids: loans.map(loan => loan.id),
    borrower_ids: borrowers.map(borrower => borrower.id),
    card_ids: (await client.listCards({})).map(card => card.id),
    webhook_ids: (await client.listWebhooks({})).data.map(webhook => webhook.id),
  }
}
