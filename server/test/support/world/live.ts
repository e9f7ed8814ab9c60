/**
 * Creates two borrowers with two months of history, made of the kinds of record that are numerous
 * in a large database.
 */
import type { Client } from '@headroom/sdk'
import { addDays, type Day, day } from '../../../src/platform/kit/dates.ts'

export const LOANS_EACH = 10

/** The ID of each borrower, then those of its records that do not refer to it. */
export interface LifeIds {
  /** Repays by debit. Its loans have different statuses, and one is on an invoice. */
  readonly prompt: readonly [borrower_id: string, ...ids: string[]]
  /** Should repay by transfer but has not: its loans are overdue and in a collection case. */
  readonly late: readonly [borrower_id: string, ...ids: string[]]
}

/** Builds the history through the API, and advances the sandbox clock. */
export async function createTwoLives(client: Client): Promise<LifeIds> {
  const prompt = await become(client)
  const late = await become(client, 'SCT')
  await client.createWebhook({
    name: 'Back office',
    to_url: 'http://127.0.0.1:9/nobody',
    event_types: ['Loan.TO_REPAY', 'Loan.CLOSED', 'Bill.PAID'],
  })
  // Loans start early in a month, so that the month's bill covers most of it.
  const began = await monthAfter(client)
  await client.advanceSandboxClock({ to: addDays(began, 2) })
  for (let n = 0; n < LOANS_EACH; n++) await lend(client, late, { days: 20, amount: 50_000 + n })
  for (let n = 0; n < 3; n++) await lend(client, prompt, { days: 15, amount: 90_000 + n })
  await spendByCard(client, prompt.id)
  await client.advanceSandboxClock({ days: 25 })
  for (let n = 0; n < 3; n++) await lend(client, prompt, { days: 45, amount: 110_000 + n })
  const invoiced = await lendOnInvoice(client, prompt)
  await client.advanceSandboxClock({ days: 12 })
  await lend(client, prompt, { days: 30, amount: 70_000 })
  await lend(client, prompt, { days: 30, amount: 80_000, pay_in: 10 })
  await lend(client, prompt, { days: 60, amount: 60_000 })
  await payInUnnamed(client, late.id)
  const onboarding = await client.createOnboarding({ preferred_language: 'fr' })
  await client.advanceSandboxClock({ days: 2 })
  return { prompt: [prompt.id, ...invoiced], late: [late.id, onboarding.id] }
}

interface Borrower {
  readonly id: string
  readonly identifier: string
  readonly account_number: string
}

async function become(client: Client, method?: 'SCT'): Promise<Borrower> {
  const made = await client.generateSandboxBusiness({ country: 'FRA', is_borrower: true })
  const { account_number, ...rest } = made
  const { id } = await client.createBorrower(method ? { ...rest, bank_identifier: null } : made)
  const borrower_id = id!
  await client.signBorrower({ borrower_id, signed_at: (await client.getSandboxClock()).now })
  if (method) {
    await client.addRepaymentMethod({
      borrower_id,
      payment_method: method,
      is_default_repayment_method: true,
      apply_to_all_active_loans: false,
    })
  }
  return { id: borrower_id, identifier: made.identifier, account_number: account_number! }
}

async function today(client: Client): Promise<Day> {
  return day((await client.getSandboxClock()).business_date.slice(0, 10))
}

async function monthAfter(client: Client): Promise<Day> {
  const now = new Date(await today(client))
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
  return day(first.toISOString().slice(0, 10))
}

interface LoanInput {
  readonly amount: number
  readonly days: number
  readonly pay_in?: number
}

async function termsOf(
  client: Client,
  borrower: Borrower,
  { amount, days, pay_in = 0 }: LoanInput,
) {
  const to_pay_at = addDays(await today(client), pay_in)
  return {
    amount,
    to_pay_at,
    to_repay_at: addDays(to_pay_at, days),
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    auto_validate: true,
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
  }
}

async function lend(client: Client, borrower: Borrower, input: LoanInput): Promise<void> {
  const terms = await termsOf(client, borrower, input)
  await client.createLoan({ ...terms, loan_type: 'WALLET_FINANCING' })
}

/** Returns the IDs of the invoice and of the companies on it. */
async function lendOnInvoice(client: Client, borrower: Borrower): Promise<string[]> {
  const { identifier, account_number } = borrower
  const { invoice_creation_payload: made } = await client.generateSandboxInvoice({
    seller: { identifier },
  })
  const issued_at = await today(client)
  const { id, seller, buyer } = await client.createInvoice({
    ...made,
    is_draft: false,
    issued_at,
    due_at: addDays(issued_at, 70),
    to_account: { account_number },
  })
  const input = { amount: Math.floor(made.total_amount / 2), days: 60 }
  const terms = await termsOf(client, borrower, input)
  const loan_type = 'INVOICE_BASED_FINANCING'
  await client.createLoan({ ...terms, loan_type, invoice_ids: [id] })
  return [id, seller!.id!, buyer!.id!]
}

async function spendByCard(client: Client, borrower_id: string): Promise<void> {
  const card = await client.createCard({ borrower_id, first_name: 'Ada', last_name: 'Byron' })
  await client.updateCardStatus({ card_id: card.id, status: 'active' })
  const { authorization_id } = await client.authorizeSandboxCard({
    card_id: card.id,
    amount: 4_200,
    currency: 'EUR',
    merchant_name: 'Bistro',
  })
  await client.clearSandboxAuthorization({ authorization_id })
}

/** A transfer to the account of the borrower's newest loan, without a known reference. */
async function payInUnnamed(client: Client, business_id: string): Promise<void> {
  const { data } = await client.listLoans({ borrower: [business_id] })
  await client.createSandboxIncomingTransfer({
    to_iban: data[0]!.repayment_to.account_number,
    amount: 12_345,
    from_name: 'Atelier Unbekannt',
    reference: 'thank you',
  })
}
