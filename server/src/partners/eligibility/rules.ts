/** Whether a company is eligible, in each part that it may play: pure. Source: interface.md. */
import type { DenialCode } from '@headroom/contract'
import type { ComplianceStatus } from '../../outside/ports/registry.ts'

export type Role = 'borrower' | 'beneficiary' | 'buyer' | 'seller'

/** What is known of a company. */
export interface Known {
  /** Whether its number is of a country that is served. */
  readonly served: boolean
  /** Null when the register knows no such company. */
  readonly company: {
    readonly is_active: boolean
    readonly is_public_body: boolean
    readonly is_insolvent: boolean
    /** Younger than every product asks for, or than the one that finances invoices asks for. */
    readonly too_young: { readonly to_borrow: boolean; readonly to_sell: boolean }
  } | null
  readonly compliance: ComplianceStatus | null
  /** Null when it is no borrower of this partner. */
  readonly borrower: {
    readonly status: string
    readonly status_reason: DenialCode | null
    readonly line_expired: boolean
  } | null
}

interface Codes {
  readonly country: DenialCode
  readonly unknown: DenialCode
  readonly inactive: DenialCode
  readonly insolvent: DenialCode
  readonly legal_form: DenialCode
}

const CODES: Record<Role, Codes> = {
  borrower: {
    country: 'COUNTRY_NOT_ELIGIBLE_BORROWER',
    unknown: 'BUSINESS_UNKNOWN',
    inactive: 'BUSINESS_RADIATED',
    insolvent: 'INSOLVENCY_PROCEDURE_EXISTS_BORROWER',
    legal_form: 'LEGAL_FORM_NOT_ELIGIBLE_BORROWER',
  },
  beneficiary: {
    country: 'COUNTRY_NOT_ELIGIBLE_COUNTERPARTY',
    unknown: 'BUSINESS_UNKNOWN',
    inactive: 'BUSINESS_RADIATED',
    insolvent: 'BUSINESS_INSOLVENCY_PROCEDURE_EXISTS',
    legal_form: 'LEGAL_FORM_NOT_ELIGIBLE_COUNTERPARTY',
  },
  buyer: {
    country: 'COUNTRY_NOT_ELIGIBLE_COUNTERPARTY',
    unknown: 'BUSINESS_UNKNOWN_BUYER',
    inactive: 'REMOVED_FROM_COMMERCIAL_REGISTER_BUYER',
    insolvent: 'COUNTERPARTY_INSOLVENCY_PROCEDURE_EXISTS',
    legal_form: 'LEGAL_FORM_NOT_ELIGIBLE_BUYER',
  },
  seller: {
    country: 'COUNTRY_NOT_ELIGIBLE_BORROWER',
    unknown: 'BUSINESS_UNKNOWN_SELLER',
    inactive: 'REMOVED_FROM_COMMERCIAL_REGISTER_SELLER',
    insolvent: 'COUNTERPARTY_INSOLVENCY_PROCEDURE_EXISTS',
    legal_form: 'LEGAL_FORM_NOT_ELIGIBLE_BORROWER',
  },
}

const UNUSABLE = ['BLOCKED', 'DEACTIVATED', 'PROHIBITED']

/**
 * Everything that stands against a company, in the order in which it could be mended. A review
 * that is not over is no reason: a loan would wait for it. Public bodies may owe an invoice, but
 * do not borrow.
 */
export function reasonsAgainst(role: Role, known: Known): DenialCode[] {
  const codes = CODES[role]
  if (!known.served) return [codes.country]
  if (!known.company) return [codes.unknown]
  const reasons: DenialCode[] = []
  const { is_active, is_insolvent, too_young } = known.company
  if (!is_active) reasons.push(codes.inactive)
  if (is_insolvent) reasons.push(codes.insolvent)
  const young = { borrower: too_young.to_borrow, seller: too_young.to_sell }
  if (role in young && young[role as 'seller']) reasons.push('BUSINESS_AGE_BELOW_THRESHOLD')
  if (known.company.is_public_body && role !== 'buyer') reasons.push(codes.legal_form)
  if (known.compliance === 'REJECTED') reasons.push('BUSINESS_COMPLIANCE_ISSUE_DETECTED')
  if (role === 'borrower' || role === 'seller') reasons.push(...borrowerReasons(known))
  // A borrower whose review was rejected is blocked for that reason.
  return [...new Set(reasons)]
}

function borrowerReasons({ borrower }: Known): DenialCode[] {
  if (!borrower) return []
  if (UNUSABLE.includes(borrower.status)) return [borrower.status_reason ?? 'BORROWER_STATUS']
  return borrower.line_expired ? ['OUTDATED_DATA'] : []
}

/** What a quote asks beyond both companies being eligible. */
export interface Asked {
  readonly amount: bigint | null
  readonly days: number | null
}

/** Limits of the product that finances invoices; cents and days. */
export interface Limits {
  readonly amount_max: bigint
  readonly days_max: number
}

export function reasonsAgainstQuote(asked: Asked, limits: Limits): DenialCode[] {
  const reasons: DenialCode[] = []
  if (asked.amount !== null && asked.amount > limits.amount_max) reasons.push('MAX_AMOUNT_EXCEEDED')
  if (asked.days !== null && asked.days > limits.days_max) {
    reasons.push('EXCESSIVE_DURATION_LOAN_REQUEST')
  }
  return reasons
}
