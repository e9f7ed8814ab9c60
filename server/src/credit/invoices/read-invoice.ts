/** Reads the invoice data of a request and finds the errors its schema cannot detect. Pure. */
import type { UpdateInvoiceBody } from '@headroom/contract'
import { type Party, readParty } from '../../companies/counterparties/read-party.ts'
import { type Day, readWireDay } from '../../platform/kit/dates.ts'
import { isSepaCountry, parseBic, parseIban } from '../../platform/kit/iban.ts'
import { fromWire } from '../../platform/kit/money.ts'
import type { InvalidParam } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import type { InvoiceFigures } from './figures.ts'

/** The account to which a seller wants to be paid, as the API shows it. */
export interface ToAccount {
  readonly account_number: string
  readonly account_number_type: 'account_number' | 'iban' | 'internal_id'
  readonly bank_identifier: string
  readonly bank_identifier_type: 'bic' | 'name' | 'routing_number' | 'undefined'
}

export interface InvoiceFields extends InvoiceFigures {
  readonly to_account: ToAccount | null
}

export interface ReadInvoice {
  /** Only the fields present in the request; null clears a field. */
  readonly fields: Partial<InvoiceFields>
  /** Undefined if absent from the request, null if the request clears it. */
  readonly seller: Party | null | undefined
  readonly buyer: Party | null | undefined
  readonly faults: readonly InvalidParam[]
}

type Given = WellFormed<UpdateInvoiceBody>

export function readInvoice(given: Given): ReadInvoice {
  const faults: InvalidParam[] = []
  const seller = partyOf(given, 'seller', faults)
  const buyer = partyOf(given, 'buyer', faults)
  const fields = {
    ...('invoice_number' in given && { invoice_number: given.invoice_number?.trim() || null }),
    ...(given.currency && { currency: given.currency }),
    ...('issued_at' in given && { issued_on: dayOf(given.issued_at, 'issued_at', faults) }),
    ...('due_at' in given && { due_on: dayOf(given.due_at, 'due_at', faults) }),
    ...('net_amount' in given && { net_amount: cents(given.net_amount) }),
    ...('tax_amount' in given && { tax_amount: cents(given.tax_amount) }),
    ...('total_amount' in given && { total_amount: cents(given.total_amount) }),
    ...('to_pay_amount' in given && { to_pay_amount: cents(given.to_pay_amount) }),
    ...('to_account' in given && { to_account: accountOf(given.to_account, faults) }),
  }
  return { fields, seller, buyer, faults }
}

export const NO_FIELDS: InvoiceFields = {
  invoice_number: null,
  currency: 'EUR',
  issued_on: null,
  due_on: null,
  net_amount: null,
  tax_amount: null,
  total_amount: null,
  to_pay_amount: null,
  to_account: null,
}

/** Computes a missing total from net and tax. */
export function complete(fields: InvoiceFields): InvoiceFields {
  const { net_amount: net, tax_amount: tax, total_amount: total } = fields
  if (total !== null || net === null || tax === null) return fields
  return { ...fields, total_amount: net + tax }
}

function partyOf(given: Given, side: 'seller' | 'buyer', faults: InvalidParam[]) {
  if (!(side in given)) return undefined
  const read = readParty(given[side], side)
  if (read.ok) return read.party
  faults.push(...read.faults)
  return null
}

function dayOf(text: string | null | undefined, name: string, faults: InvalidParam[]): Day | null {
  if (!text) return null
  const read = readWireDay(text)
  if (read === null) faults.push({ name, reason: 'is no day' })
  return read
}

function cents(value: number | null | undefined): bigint | null {
  return value === null || value === undefined ? null : fromWire(value)
}

function accountOf(given: Given['to_account'], faults: InvalidParam[]): ToAccount | null {
  if (!given) return null
  const { bank_identifier: bank, bank_identifier_type: bank_type = 'bic' } = given
  const { account_number_type = 'iban' } = given
  let { account_number = '' } = given
  if (account_number && account_number_type === 'iban') {
    const iban = parseIban(account_number)
    const reason = !iban.ok ? iban.reason : isSepaCountry(iban.country) ? null : 'is outside SEPA'
    if (reason) faults.push({ name: 'to_account.account_number', reason })
    if (iban.ok) account_number = iban.iban
  }
  const bic = bank && bank_type === 'bic' ? parseBic(bank) : null
  if (bic && !bic.ok) faults.push({ name: 'to_account.bank_identifier', reason: bic.reason })
  return {
    account_number,
    account_number_type,
    bank_identifier: bic?.ok ? bic.bic : (bank ?? ''),
    bank_identifier_type: bank ? bank_type : 'undefined',
  }
}
