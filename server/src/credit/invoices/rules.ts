/** Decides whether an invoice is verified, declined, sent back for editing or reviewed. Pure. */
import type { DenialCode } from '@headroom/contract'
import { AWAITED } from '../../companies/counterparties/rules.ts'
import { compare, type Day } from '../../platform/kit/dates.ts'
import type { InvalidParam } from '../../platform/kit/problem.ts'
import type { InvoiceFigures } from './figures.ts'

/**
 * Whether loans of this type finance invoices. A loan of another type is declined if its request
 * has an invoice.
 */
export function financesInvoices(loan_type: string): boolean {
  return loan_type === 'INVOICE_BASED_FINANCING'
}

export interface PartyFacts {
  readonly id: string
  /** Why nothing can be lent against this party; null if lending is possible. */
  readonly max_amount_details: string | null
  readonly insolvent_since: Day | null
}

/** What the decision on an invoice is based on. Amounts in cents. */
export interface InvoiceFacts extends InvoiceFigures {
  readonly seller: PartyFacts | null
  readonly buyer: PartyFacts | null
  readonly document_is_invoice: boolean | null
  /** The total shown in the document, in cents; null if unreadable. */
  readonly document_total: bigint | null
  /** The currency shown in the document; null if none. */
  readonly document_currency: string | null
  /** Which of the partner's invoices an operator reviews: `NONE`, `DOUBTFUL` or `ALL`. */
  readonly review: string
  /**
   * Whether the partner already has a submitted, verified or paid invoice of this seller with this
   * number, or another partner has one that is financed.
   */
  readonly is_double: boolean
  readonly today: Day
}

export type InvoiceDecision =
  | { readonly trigger: 'verify' }
  /** Stays SUBMITTED until an operator has reviewed it. */
  | { readonly trigger: null; readonly why: string }
  | { readonly trigger: 'decline'; readonly reason: DenialCode }
  | {
      readonly trigger: 'ask_edit'
      readonly reason: DenialCode | null
      readonly to_edit: readonly InvalidParam[]
    }

/**
 * The decision on an invoice. Errors that the partner can fix come before refusals, unless the
 * document is not an invoice.
 */
export function decideInvoice(facts: InvoiceFacts): InvoiceDecision {
  if (facts.document_is_invoice === false) return { trigger: 'decline', reason: 'NOT_AN_INVOICE' }
  const to_edit = faultsOf(facts)
  if (to_edit.length > 0) return { trigger: 'ask_edit', reason: editReason(to_edit), to_edit }
  const reason = refusalOf(facts)
  if (reason) return { trigger: 'decline', reason }
  const doubts = facts.review === 'NONE' ? null : (doubtOf(facts) ?? ruleOf(facts))
  const why = isAwaited(facts) ? 'the registry has not answered about a party' : doubts
  return why ? { trigger: null, why } : { trigger: 'verify' }
}

/** Whether the registry has yet to answer about a party. */
function isAwaited({ seller, buyer }: Pick<InvoiceFacts, 'seller' | 'buyer'>): boolean {
  return [seller, buyer].some(party => party?.max_amount_details === AWAITED)
}

/** Why the invoice's document requires a review; null if it does not. */
function doubtOf(facts: InvoiceFacts): string | null {
  if (facts.document_is_invoice === null) return 'the document has no text'
  const { document_currency: currency, document_total: shown, total_amount: declared } = facts
  if (currency !== null && currency !== facts.currency) {
    return `the document is not in ${facts.currency}`
  }
  return shown !== null && shown !== declared ? `the document shows a total of ${shown}` : null
}

function ruleOf({ review }: InvoiceFacts): string | null {
  return review === 'ALL' ? 'all invoices of this partner are looked at' : null
}

const MISSING = 'is missing'
const BY_NAME_ONLY = 'is known by its name alone: its company number is needed'

/** Missing or contradictory fields, under their names in the request. */
export function faultsOf(facts: Omit<InvoiceFacts, 'is_double' | 'review'>): InvalidParam[] {
  const { seller, buyer, issued_on, due_on, net_amount, tax_amount, total_amount } = facts
  const faults: InvalidParam[] = []
  const add = (name: string, reason: string) => faults.push({ name, reason })
  for (const [name, party] of [['seller', seller] as const, ['buyer', buyer] as const]) {
    if (party === null) add(name, MISSING)
    else if (party.max_amount_details === 'COUNTERPARTY_DATA_MISSING') add(name, BY_NAME_ONLY)
  }
  if (facts.invoice_number === null) add('invoice_number', MISSING)
  if (issued_on === null) add('issued_at', MISSING)
  if (due_on === null) add('due_at', MISSING)
  else if (issued_on && compare(due_on, issued_on) < 0) add('due_at', 'is before issued_at')
  if (total_amount === null) add('total_amount', MISSING)
  else if (net_amount !== null && net_amount + (tax_amount ?? 0n) !== total_amount) {
    add('total_amount', 'is not net_amount and tax_amount together')
  }
  // A negative total marks a credit note; a positive total with a negative part is contradictory.
  if (total_amount !== null && total_amount > 0n) {
    if (net_amount !== null && net_amount < 0n) add('net_amount', 'is below 0')
    if (tax_amount !== null && tax_amount < 0n) add('tax_amount', 'is below 0')
  }
  const { to_pay_amount: to_pay } = facts
  if (to_pay !== null && to_pay <= 0n) add('to_pay_amount', 'is not above 0')
  else if (to_pay !== null && total_amount !== null && to_pay > total_amount) {
    add('to_pay_amount', 'is above total_amount')
  }
  return faults
}

function editReason(to_edit: readonly InvalidParam[]): DenialCode | null {
  if (to_edit.some(fault => fault.name === 'seller')) return 'FILL_INVOICE_SELLER_INFORMATION'
  if (to_edit.some(fault => fault.name === 'buyer')) return 'FILL_INVOICE_BUYER_INFORMATION'
  return null
}

/** Why a complete invoice cannot be financed; null if it can. */
function refusalOf(facts: InvoiceFacts): DenialCode | null {
  const { seller, buyer, issued_on, due_on, today } = facts
  if (facts.currency !== 'EUR') return 'INVOICE_DOES_NOT_MATCH_ELIGIBILITY_CRITERIA'
  if (facts.total_amount! <= 0n) return 'INVOICE_NON_ELIGIBLE_USE_CASE'
  if (seller!.id === buyer!.id) return 'INVOICE_NON_ELIGIBLE_USE_CASE'
  const party =
    partyRefusal(seller!, 'BUSINESS_UNKNOWN_SELLER', 'REMOVED_FROM_COMMERCIAL_REGISTER_SELLER') ??
    partyRefusal(buyer!, 'BUSINESS_UNKNOWN_BUYER', 'REMOVED_FROM_COMMERCIAL_REGISTER_BUYER')
  if (party) return party
  if (facts.is_double) return 'DOUBLE_MOBILIZATION'
  if (compare(issued_on!, today) > 0) return 'INVOICE_NOT_ISSUED_YET'
  return compare(due_on!, today) < 0 ? 'INVOICE_OVERDUE' : null
}

function partyRefusal(
  { max_amount_details, insolvent_since }: PartyFacts,
  unknown: DenialCode,
  removed: DenialCode,
): DenialCode | null {
  if (insolvent_since) return 'COUNTERPARTY_INSOLVENCY_PROCEDURE_EXISTS'
  switch (max_amount_details) {
    case null:
    case AWAITED:
      return null
    case 'COUNTERPARTY_NOT_REGISTERED':
      return unknown
    case 'REMOVED_FROM_COMMERCIAL_REGISTER_BUSINESS':
      return removed
    default:
      return max_amount_details as DenialCode
  }
}
