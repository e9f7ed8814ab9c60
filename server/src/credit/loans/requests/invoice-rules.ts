/** Decides whether invoices can be financed, and up to which amount. Pure. */
import type { DenialCode, Status } from '@headroom/contract'
import { AWAITED } from '../../../companies/counterparties/rules.ts'
import { minAmount } from '../../../platform/kit/money.ts'

/** A company on an invoice, with the unused part of its limit. */
export interface Party {
  readonly id: string
  readonly company_key: string
  readonly selected_for_financing: boolean
  /** Why the company's limit is zero; null if it is not. */
  readonly max_amount_details: string | null
  /** As the registry last reported it. */
  readonly insolvent_since: string | null
  available: bigint
}

/**
 * An invoice, with amounts in cents. Requests decided together share one object per invoice, so
 * that none uses an amount that another has claimed.
 */
export interface FinancedInvoice {
  readonly id: string
  readonly status: Status<'invoice'>
  readonly status_reason: string | null
  /** One object per company for all invoices read together; null if the invoice names no seller. */
  readonly seller: Party | null
  readonly buyer: Party | null
  /** The account into which the invoice is to be paid. */
  readonly to_iban: string | null
  /** Whether a loan of another partner already finances the invoice. */
  readonly financed_elsewhere: boolean
  readonly amount: bigint
  /** Cents not financed by any loan. Repaid loans still count as financing. */
  free: bigint
}

export interface InvoiceTerms {
  readonly invoice: FinancedInvoice
  readonly borrower_is: 'seller' | 'buyer' | 'neither'
  /**
   * False if the account to be paid is on another company's file, names another holder, or is a
   * wallet that is not the borrower's.
   */
  readonly own_account: boolean
}

/** The amount of an invoice that a loan finances. */
export interface Share {
  readonly invoice: FinancedInvoice
  readonly amount: bigint
}

const REFUSED: Readonly<Record<string, DenialCode>> = {
  PAID: 'INVOICE_ALREADY_FINANCED',
  DELETED: 'INVOICE_DOES_NOT_MATCH_ELIGIBILITY_CRITERIA',
  DECLINED: 'INVOICE_DOES_NOT_MATCH_ELIGIBILITY_CRITERIA',
  TO_SUBMIT: 'INVOICE_DOES_NOT_MATCH_ELIGIBILITY_CRITERIA',
  TO_EDIT: 'INVOICE_DOES_NOT_MATCH_ELIGIBILITY_CRITERIA',
}

/** Why a loan of `amount` cannot be granted on these invoices; null if it can. */
export function invoiceRefusal(amount: bigint, terms: readonly InvoiceTerms[]): DenialCode | null {
  if (terms.length === 0) return 'INVOICE_DOES_NOT_MATCH_ELIGIBILITY_CRITERIA'
  for (const one of terms) {
    const code = refusalOf(one)
    if (code) return code
  }
  const invoices = terms.map(one => one.invoice)
  if (amount > sumOf(invoices.map(i => i.amount))) return 'EXCESSIVE_AMOUNT_LOAN_REQUEST'
  if (amount > sumOf(invoices.map(i => i.free))) return 'INVOICE_ALREADY_FINANCED'
  const shares = allocateToInvoices(amount, invoices)
  if (exceedsLimit(shares, 'buyer')) return 'MAX_AMOUNT_EXCEEDED_BUYER'
  return exceedsLimit(shares, 'seller') ? 'MAX_AMOUNT_EXCEEDED_SELLER' : null
}

function exceedsLimit(shares: readonly Share[], side: 'seller' | 'buyer'): boolean {
  const parties = Map.groupBy(shares, share => share.invoice[side])
  return [...parties].some(
    ([party, own]) => party && !isAwaited(party) && sumOf(own.map(s => s.amount)) > party.available,
  )
}

function refusalOf({ invoice, borrower_is, own_account }: InvoiceTerms): DenialCode | null {
  const refused = REFUSED[invoice.status]
  if (refused) return (invoice.status_reason as DenialCode | null) ?? refused
  if (borrower_is === 'buyer') return 'INVOICE_PAYABLE_BORROWER_IS_ACCOUNT_HOLDER'
  if (borrower_is === 'neither') return 'INVOICE_NON_ELIGIBLE_USE_CASE'
  if (!own_account) return 'INVOICE_RECEIVABLE_BORROWER_IS_NOT_ACCOUNT_HOLDER'
  if (invoice.financed_elsewhere) return 'DOUBLE_MOBILIZATION'
  return partyRefusal(invoice.buyer) ?? partyRefusal(invoice.seller)
}

function partyRefusal(party: Party | null): DenialCode | null {
  if (party?.insolvent_since) return 'COUNTERPARTY_INSOLVENCY_PROCEDURE_EXISTS'
  if (!party || party.selected_for_financing || isAwaited(party)) return null
  const details = party.max_amount_details as DenialCode | null
  return details ?? 'COUNTERPARTY_NOT_SELECTED_FOR_FINANCING'
}

/** Whether the registry has yet to answer about the company. Its invoices are verified later. */
function isAwaited({ max_amount_details }: Party): boolean {
  return max_amount_details === AWAITED
}

/** Whether all invoices are verified; the loan waits until they are. */
export function areVerified(terms: readonly InvoiceTerms[]): boolean {
  return terms.every(({ invoice }) => invoice.status === 'VERIFIED')
}

/** Allocates a loan to its invoices in order, each up to its free amount. */
export function allocateToInvoices(amount: bigint, invoices: readonly FinancedInvoice[]): Share[] {
  let left = amount
  return invoices.flatMap(invoice => {
    const part = minAmount(invoice.free, left)
    left -= part
    return part > 0n ? [{ invoice, amount: part }] : []
  })
}

/** Deducts a loan's shares from invoices and limits, so that the next loan does not use them. */
export function claim(shares: readonly Share[]): void {
  for (const { invoice, amount } of shares) {
    invoice.free -= amount
    for (const party of [invoice.buyer, invoice.seller]) {
      if (party) party.available -= amount
    }
  }
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}
