/** Validates shared data and turns it into rows, with faults by index. Pure. */
import type {
  ShareActivityBody,
  SharedAccount,
  SharedInvoice,
  SharedTransaction,
} from '@headroom/contract'
import { foreignVat, type IdentifierType, parseCompanyIdentifier } from '../../countries/index.ts'
import { sha256 } from '../../platform/kit/crypto.ts'
import { type Day, parisDay, readWireDay } from '../../platform/kit/dates.ts'
import type { InvalidParam } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import { readTimestamp, timestampFaults } from './timestamps.ts'

export interface CompanyReference {
  readonly identifier: string
  readonly identifier_type: string
}

/** The company that the data is about, or a fault if none is identified. */
export function companyOf(
  about: CompanyReference,
): { company_key: string } | { fault: InvalidParam } {
  const { identifier, identifier_type } = about
  if (identifier_type === 'name') {
    return { fault: { name: 'identifier_type', reason: 'a name does not tell one company' } }
  }
  const parsed = parseCompanyIdentifier(identifier, identifier_type as IdentifierType)
  if (!parsed.ok) return { fault: { name: 'identifier', reason: parsed.reason } }
  return { company_key: parsed.company_key }
}

/** Returns the faults of a row, whose fields may be missing; `at` is its path in the request. */
export type RowReader<Row> = (
  row: WellFormed<Row>,
  at: string,
  now: Date,
  about: Partial<CompanyReference>,
) => InvalidParam[]

export const accountFaults: RowReader<SharedAccount> = (row, at, now) =>
  timestampFaults(`${at}.last_updated_at`, row.last_updated_at, now)

/** Only a completed transaction must be in the past. */
export const transactionFaults: RowReader<SharedTransaction> = (row, at, now) => {
  const happened = (row.status ?? 'completed') === 'completed'
  const faults = timestampFaults(`${at}.at`, row.at, happened ? now : null)
  if (row.side === 'credit' && row.amount !== undefined && row.amount < 0) {
    faults.push({ name: `${at}.amount`, reason: 'is below 0, and side says credit' })
  }
  return faults
}

export const invoiceFaults: RowReader<SharedInvoice> = (row, at, now, about) => {
  const faults = [
    ...timestampFaults(`${at}.issued_at`, row.issued_at),
    ...timestampFaults(`${at}.due_at`, row.due_at),
    ...timestampFaults(`${at}.first_payment_at`, row.first_payment_at, now),
    ...timestampFaults(`${at}.last_payment_at`, row.last_payment_at, now),
  ]
  const { issued_at, due_at } = row
  if (
    faults.length === 0 &&
    issued_at &&
    due_at &&
    readTimestamp(due_at) < readTimestamp(issued_at)
  ) {
    faults.push({ name: `${at}.due_at`, reason: 'is before issued_at' })
  }
  faults.push(
    ...numberFaults(row.seller, `${at}.seller`),
    ...numberFaults(row.buyer, `${at}.buyer`),
  )
  const own = row.direction && OWN_SIDE[directionOf(row.direction)]
  if (own && isOtherCompany(row[own], about)) {
    faults.push({ name: `${at}.${own}`, reason: 'is another company than identifier' })
  }
  return faults
}

const OWN_SIDE = { receivable: 'seller', payable: 'buyer' } as const

/** Does not verify VAT numbers of unsupported countries, whose companies an invoice may name. */
function numberFaults(party: Partial<CompanyReference> | undefined, at: string): InvalidParam[] {
  const { identifier, identifier_type } = party ?? {}
  if (!identifier || !identifier_type || identifier_type === 'name') return []
  if (identifier_type === 'vat_number' && foreignVat(identifier)) return []
  const company = companyOf({ identifier, identifier_type })
  return 'fault' in company ? [{ ...company.fault, name: `${at}.identifier` }] : []
}

/** Compares only numbers of the same type, because a company's other numbers may be unknown. */
function isOtherCompany(
  party: Partial<CompanyReference> | undefined,
  about: Partial<CompanyReference>,
) {
  if (!party?.identifier_type || party.identifier_type !== about.identifier_type) return false
  const [theirs, ours] = [keyOf(party), keyOf(about)]
  return theirs !== null && ours !== null && theirs !== ours
}

function keyOf({ identifier, identifier_type }: Partial<CompanyReference>): string | null {
  const company = companyOf({
    identifier: identifier ?? '',
    identifier_type: identifier_type ?? '',
  })
  return 'company_key' in company ? company.company_key : null
}

function directionOf(direction: SharedInvoice['direction']): 'receivable' | 'payable' {
  return direction === 'receivable' || direction === 'customer' ? 'receivable' : 'payable'
}

/** The period must not end in the future, because forecasts are not activity. */
export const periodFaults: RowReader<ShareActivityBody['periods'][number]> = (period, at, now) => {
  const [from, to] = [dayOf(period.from), dayOf(period.to)]
  const faults = [
    ...(from ? timestampFaults(`${at}.from`, `${from}T00:00:00Z`) : []),
    ...(to ? timestampFaults(`${at}.to`, `${to}T00:00:00Z`) : []),
  ]
  if (to && to > parisDay(now)) faults.push({ name: `${at}.to`, reason: 'is in the future' })
  if (from && to && to < from) faults.push({ name: `${at}.to`, reason: 'is before from' })
  return faults
}

function dayOf(text: string | undefined): Day | null {
  return text ? readWireDay(text) : null
}

export function accountRow(row: SharedAccount) {
  const { id, ...rest } = row
  return {
    ...NO_ACCOUNT,
    ...rest,
    account_id: id,
    last_updated_at: readTimestamp(row.last_updated_at).toISOString(),
  }
}

const NO_ACCOUNT = {
  account_name: null,
  account_number: null,
  account_number_type: null,
  bank_identifier: null,
  bank_identifier_type: null,
  provider: null,
}

export function* each<T, Row>(list: readonly T[], make: (item: T) => Row): Generator<Row> {
  for (const item of list) yield make(item)
}

/** Identical transactions in one request count separately, except under one client reference. */
export function transactionRows(transactions: readonly SharedTransaction[]) {
  const seen = new Map<string, number>()
  return each(transactions, row => {
    const amount = row.side === 'debit' ? -Math.abs(row.amount) : row.amount
    const at = readTimestamp(row.at).toISOString()
    const identity = [row.account, at, amount, row.currency, row.reference, row.counterparty_name]
    const content = sha256(JSON.stringify([...identity, row.operation_type].map(v => v ?? null)))
    const turn = (seen.get(content) ?? 0) + 1
    if (!row.salt_id) seen.set(content, turn)
    return {
      transaction_key: row.salt_id ? `salt ${row.salt_id}` : `${content} ${turn}`,
      account: row.account ?? null,
      at,
      amount,
      currency: row.currency,
      category: row.category ?? null,
      counterparty_name: row.counterparty_name ?? null,
      operation_type: row.operation_type ?? null,
      provider: row.provider ?? null,
      reference: row.reference ?? null,
      settled_balance: row.settled_balance ?? null,
      state: row.status ?? 'completed',
    }
  })
}

/** The company's key; if the number cannot be parsed, the type and the identifier as given. */
function partyKey(party: CompanyReference): string {
  const company = companyOf(party)
  const { identifier, identifier_type } = party
  return 'company_key' in company ? company.company_key : `${identifier_type} ${identifier}`
}

/**
 * An invoice is identified by its client reference, or else by direction, number and seller. The
 * seller of a receivable is the company itself, whichever of its numbers is given.
 */
export function invoiceRow(row: SharedInvoice) {
  const direction = directionOf(row.direction)
  const total = row.total_amount ?? row.net_amount + (row.tax_amount ?? 0)
  const key = [
    direction,
    row.invoice_number,
    direction === 'receivable' ? 'own' : partyKey(row.seller),
  ]
  const moment = (text: string | null | undefined) =>
    text ? readTimestamp(text).toISOString() : null
  return {
    invoice_key: row.salt_id ? `salt ${row.salt_id}` : sha256(JSON.stringify(key)),
    direction,
    invoice_number: row.invoice_number,
    buyer: row.buyer,
    seller: row.seller,
    currency: row.currency,
    issued_at: moment(row.issued_at)!,
    due_at: moment(row.due_at)!,
    first_payment_at: moment(row.first_payment_at),
    last_payment_at: moment(row.last_payment_at),
    payment_method: row.payment_method ?? null,
    net_amount: row.net_amount,
    tax_amount: row.tax_amount ?? null,
    total_amount: total,
    // Without an open amount, a last payment date means that the invoice is paid in full.
    to_pay_amount: row.to_pay_amount ?? (row.last_payment_at ? 0 : total),
  }
}

export function activityRow(period: ShareActivityBody['periods'][number]) {
  const { from, to, amount, count } = period
  return { from_on: readWireDay(from)!, to_on: readWireDay(to)!, amount, count }
}
