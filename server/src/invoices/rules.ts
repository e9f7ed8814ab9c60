/** Whether an invoice can be financed: what must be put right, and what declines it. Pure. */
import type { DenialCode } from '@headroom/contract'
import { compare, type Day } from '../kit/dates.ts'
import type { InvalidParam } from '../kit/problem.ts'

export interface PartyFacts {
  readonly id: string
  /** Why nothing can be lent against it; null when something can. */
  readonly max_amount_details: string | null
}

/** All that a decision looks at. Amounts in cents. */
export interface InvoiceFacts {
  readonly seller: PartyFacts | null
  readonly buyer: PartyFacts | null
  readonly invoice_number: string | null
  readonly currency: string
  readonly issued_on: Day | null
  readonly due_on: Day | null
  readonly net_amount: bigint | null
  readonly tax_amount: bigint | null
  readonly total_amount: bigint | null
  readonly to_pay_amount: bigint | null
  readonly document_is_invoice: boolean | null
  /** The same seller's invoice of that number is there already. */
  readonly is_double: boolean
  readonly today: Day
}

export type Verdict =
  | { readonly trigger: 'verify' }
  | { readonly trigger: 'decline'; readonly reason: DenialCode }
  | {
      readonly trigger: 'ask_edit'
      readonly reason: DenialCode | null
      readonly to_edit: readonly InvalidParam[]
    }

/** What becomes of a submitted invoice. What its partner can put right is asked for first. */
export function judgeInvoice(facts: InvoiceFacts): Verdict {
  if (facts.document_is_invoice === false) return { trigger: 'decline', reason: 'NOT_AN_INVOICE' }
  const to_edit = faultsOf(facts)
  if (to_edit.length > 0) return { trigger: 'ask_edit', reason: askedFor(to_edit), to_edit }
  const reason = refusalOf(facts)
  return reason ? { trigger: 'decline', reason } : { trigger: 'verify' }
}

const MISSING = 'is missing'
const BY_NAME_ONLY = 'is known by its name alone: its company number is needed'

/** What is missing or contradicts itself, by the names of the request. */
export function faultsOf(facts: Omit<InvoiceFacts, 'is_double'>): InvalidParam[] {
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
  const { to_pay_amount: to_pay } = facts
  if (to_pay !== null && to_pay <= 0n) add('to_pay_amount', 'is not above 0')
  else if (to_pay !== null && total_amount !== null && to_pay > total_amount) {
    add('to_pay_amount', 'is above total_amount')
  }
  return faults
}

function askedFor(to_edit: readonly InvalidParam[]): DenialCode | null {
  if (to_edit.some(fault => fault.name === 'seller')) return 'FILL_INVOICE_SELLER_INFORMATION'
  if (to_edit.some(fault => fault.name === 'buyer')) return 'FILL_INVOICE_BUYER_INFORMATION'
  return null
}

/** Why a complete invoice cannot be financed; null when it can. */
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
  { max_amount_details }: PartyFacts,
  unknown: DenialCode,
  removed: DenialCode,
): DenialCode | null {
  switch (max_amount_details) {
    case null:
      return null
    case 'COUNTERPARTY_NOT_REGISTERED':
      return unknown
    case 'REMOVED_FROM_COMMERCIAL_REGISTER_BUSINESS':
      return removed
    default:
      return max_amount_details as DenialCode
  }
}
