/**
 * Requests with several independent faults: a valid body, and an invalid value for each of its
 * places. Some faults take a database lookup to find.
 */
import type { TestApp } from '../support/app.ts'
import { today } from '../support/story.ts'
import type { World } from './schema-values.ts'
import { wrongAboutMoney } from './wrong-money-requests.ts'
import {
  type About,
  FUTURE,
  first,
  IBAN,
  NO_PDF,
  NUMBER,
  PAST,
  SIREN,
  UNKNOWN_ID,
  type WrongRequest,
} from './wrong-values.ts'

export function spoiledAt({ right, wrong }: WrongRequest, places: readonly string[]): object {
  const body = structuredClone(right)
  for (const place of places) {
    const names = place.split('.')
    const last = names.pop()!
    const holder = names.reduce<Record<string, unknown>>(
      (at, name) => {
        at[name] ??= {}
        return at[name] as Record<string, unknown>
      },
      body as Record<string, unknown>,
    )
    holder[last] = wrong[place]
  }
  return body
}

export async function wrongRequests(app: TestApp, world: World): Promise<WrongRequest[]> {
  const day = await today(app)
  const about = { app, world, day }
  return [
    ...ofBorrowers(about),
    ...ofCompanies(),
    ...ofData(),
    ...(await wrongAboutMoney(about)),
    ...ofTheRest(about),
  ]
}

function ofBorrowers({ world }: About): WrongRequest[] {
  const path = { borrower_id: first(world, 'borrower_id') }
  const director = { entity_type: 'people', role: 'DIRECTOR' }
  return [
    {
      id: 'createBorrower',
      right: { identifier: '552100554', directors: [director] },
      wrong: {
        identifier: NUMBER,
        vat_number: 'FR45732829320',
        'address.country': 'Nowhere',
        account_number: IBAN,
        bank_identifier: 'X',
        'directors.0.birth_date': FUTURE,
        'directors.0.business_email': 7,
        preferred_language: 'xx',
        signed_at: `${FUTURE}T10:00:00Z`,
      },
    },
    {
      id: 'updateBorrower',
      path,
      right: {},
      wrong: {
        account_number: IBAN,
        preferred_language: 'xx',
        'address.country': 'X',
        metadata: 1,
      },
    },
    {
      id: 'signBorrower',
      path,
      right: {},
      wrong: { signed_at: `${FUTURE}T10:00:00Z`, wait_for_ready: 'yes' },
    },
    {
      id: 'createOwner',
      path,
      right: { first_name: 'Ada', last_name: 'Byron', email: 'ada@example.com' },
      wrong: {
        first_name: 7,
        birth_date: FUTURE,
        'identity_documents.identity_document_front.document_binary_base64': NO_PDF,
      },
    },
    {
      id: 'addRepaymentMethod',
      path,
      right: {
        payment_method: 'DIRECT_DEBIT',
        is_default_repayment_method: false,
        apply_to_all_active_loans: false,
      },
      wrong: {
        is_default_repayment_method: 'no',
        'from_account.account_number': IBAN,
        'from_account.bank_identifier': 'X',
        'representative.birth_date': FUTURE,
        'mandate.signed_at': `${FUTURE}T10:00:00Z`,
      },
    },
  ]
}

function ofCompanies(): WrongRequest[] {
  const question = { right: SIREN, wrong: { identifier: NUMBER, nobody_knows: 1 } }
  return [
    { id: 'createCounterparty', ...question, right: { ...SIREN, relation_types: ['CLIENT'] } },
    { id: 'checkBorrowerEligibility', ...question },
    { id: 'checkBeneficiaryEligibility', ...question },
    { id: 'checkBuyerEligibility', ...question },
    { id: 'checkSellerEligibility', ...question },
    {
      id: 'quoteEligibility',
      right: { seller: SIREN, buyer: SIREN, to_pay_at: '2030-01-01', to_repay_at: '2030-02-01' },
      wrong: {
        'seller.identifier': NUMBER,
        'buyer.identifier': NUMBER,
        to_repay_at: PAST,
        amount: -1,
      },
    },
    {
      id: 'setSandboxEligibility',
      right: { business_identifier: SIREN, scenario: 'OK' },
      wrong: {
        'business_identifier.identifier': NUMBER,
        scenario: 'X',
        insolvent_since: FUTURE,
        creation_date: FUTURE,
      },
    },
  ]
}

function ofData(): WrongRequest[] {
  const invoice = { buyer: SIREN, seller: SIREN, direction: 'receivable', invoice_number: 'S-1' }
  const days = { issued_at: '2026-07-01', due_at: '2026-07-31' }
  const account = { id: 'A', amount: 1, last_updated_at: '2026-07-01T00:00:00Z' }
  const transaction = { amount: 1, at: '2026-07-01T00:00:00Z', side: 'credit' }
  const period = { from: '2026-01-01', to: '2026-01-31', amount: 1, count: 1 }
  return [
    {
      id: 'createDataBatch',
      right: { business_identifier: SIREN, content: {}, context: 'DATA_REFRESH' },
      wrong: {
        'business_identifier.identifier': NUMBER,
        context: 'X',
        'content.account_transactions': [
          { account: 'A', start_date: '2026-07-02T00:00:00Z', end_date: '2026-07-01T00:00:00Z' },
        ],
      },
    },
    {
      id: 'shareAccounts',
      right: { ...SIREN, accounts: [account] },
      wrong: {
        identifier: NUMBER,
        'accounts.0.last_updated_at': `${FUTURE}T00:00:00Z`,
        'accounts.0.amount': 'x',
      },
    },
    {
      id: 'shareTransactions',
      right: { ...SIREN, transactions: [transaction, transaction] },
      wrong: {
        identifier: NUMBER,
        'transactions.0.at': `${FUTURE}T00:00:00Z`,
        'transactions.0.category': 7,
        'transactions.1.amount': -5,
      },
    },
    {
      id: 'shareInvoices',
      right: { ...SIREN, invoices: [{ ...invoice, ...days, net_amount: 5 }] },
      wrong: {
        identifier: NUMBER,
        'invoices.0.direction': 'sideways',
        'invoices.0.due_at': PAST,
        'invoices.0.buyer.identifier': NUMBER,
        'invoices.0.net_amount': 'x',
      },
    },
    {
      id: 'shareActivity',
      right: { ...SIREN, kind: 'SALES', periods: [period, period, period] },
      wrong: {
        identifier: NUMBER,
        kind: 'X',
        'periods.0.count': -1,
        'periods.0.to': PAST,
        'periods.1.amount': -1,
        'periods.2.to': FUTURE,
      },
    },
  ]
}

function ofTheRest({ world }: About): WrongRequest[] {
  const hook = { name: 'all', to_url: 'https://example.com/hook', event_types: ['Loan.CLOSED'] }
  const wrongHook = { name: 7, to_url: 'http://10.0.0.1/', event_types: ['Loan.CLOSED', 'X'] }
  const planned = () => ({ path: '/keys', method: 'POST', body: { name: 'x', actor: 'agent' } })
  const value_date = FUTURE
  const by_hand = ['settle', 'reject', 'return', 'refund', 'reverse'] as const
  return [
    { id: 'createWebhook', right: hook, wrong: wrongHook },
    {
      id: 'updateWebhook',
      path: { webhook_id: first(world, 'webhook_id') },
      right: {},
      wrong: wrongHook,
    },
    {
      id: 'noteBillSent',
      path: { bill_id: first(world, 'bill_id') },
      right: {},
      wrong: { sent_on: `${FUTURE}T00:00:00Z`, to_email_addresses: ['nobody'] },
    },
    {
      id: 'proposeDecision',
      right: { title: 'T', rationale: 'R', operations: [planned(), planned()] },
      wrong: { title: 7, 'operations.0.path': '/nowhere', 'operations.1.body.actor': 'x' },
    },
    {
      id: 'uploadRevenueShareInvoice',
      path: { referrer_id: UNKNOWN_ID, revenue_share_id: UNKNOWN_ID },
      right: {},
      wrong: { document_name: 7, document_binary_base64: NO_PDF },
    },
    {
      id: 'advanceSandboxClock',
      right: {},
      wrong: { to: PAST, nobody_knows: 1 },
    },
    {
      id: 'createSandboxIncomingTransfer',
      right: { to_iban: first(world, 'account_number'), amount: 1 },
      wrong: { to_iban: IBAN, from_iban: IBAN, amount: -1, value_date },
    },
    ...by_hand.map(what => ({
      id: `${what}SandboxInstruction` as const,
      path: { instruction_id: first(world, 'instruction_id') },
      right: {},
      wrong: { value_date, reason_code: 'x' },
    })),
  ]
}
