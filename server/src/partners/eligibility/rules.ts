/** Whether a company is eligible in each role. Pure. */
import type { DenialCode, Status } from '@headroom/contract'
import type { ComplianceStatus } from '../../integrations/ports/registry.ts'

export type Role = 'borrower' | 'beneficiary' | 'buyer' | 'seller'

export interface CompanyFacts {
  readonly served: boolean
  /** Whether the registry has not answered yet. */
  readonly is_awaited: boolean
  /** Null if the registry does not know the company, or has not answered. */
  readonly company: {
    readonly is_active: boolean
    readonly is_public_body: boolean
    readonly is_insolvent: boolean
    /** Below the minimum age of every offered product, or of invoice financing. */
    readonly too_young: { readonly to_borrow: boolean; readonly to_sell: boolean }
  } | null
  readonly compliance: ComplianceStatus | null
  /** Null if the company is not a borrower of this partner. */
  readonly borrower: {
    readonly status: Status<'borrower'>
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
 * All denial reasons, but only one for an unserved country or an unknown company. A pending
 * compliance review is no reason, because a loan request would wait for it. Public bodies are
 * accepted as buyers only.
 */
export function denialReasons(role: Role, known: CompanyFacts): DenialCode[] {
  const codes = CODES[role]
  if (!known.served) return [codes.country]
  if (!known.company) return [known.is_awaited ? 'DATA_STILL_REFRESHING' : codes.unknown]
  const reasons: DenialCode[] = []
  const { is_active, is_insolvent, too_young } = known.company
  if (!is_active) reasons.push(codes.inactive)
  if (is_insolvent) reasons.push(codes.insolvent)
  const young = { borrower: too_young.to_borrow, seller: too_young.to_sell }
  if (role in young && young[role as 'seller']) reasons.push('BUSINESS_AGE_BELOW_THRESHOLD')
  if (known.company.is_public_body && role !== 'buyer') reasons.push(codes.legal_form)
  if (known.compliance === 'REJECTED') reasons.push('BUSINESS_COMPLIANCE_ISSUE_DETECTED')
  if (role === 'borrower' || role === 'seller') reasons.push(...borrowerReasons(known))
  // Removes a duplicate: a rejected review is also the borrower's block reason.
  return [...new Set(reasons)]
}

function borrowerReasons({ borrower }: CompanyFacts): DenialCode[] {
  if (!borrower) return []
  if (UNUSABLE.includes(borrower.status)) return [borrower.status_reason ?? 'BORROWER_STATUS']
  return borrower.line_expired ? ['OUTDATED_DATA'] : []
}

/** The amount of a quote in cents and its duration; null if not given. */
export interface QuoteTerms {
  readonly amount: bigint | null
  readonly days: number | null
}

/** The upper limits of a quote, in cents and days. */
export interface Limits {
  readonly amount_max: bigint
  readonly days_max: number
}

export function quoteDenialReasons(terms: QuoteTerms, limits: Limits): DenialCode[] {
  const reasons: DenialCode[] = []
  if (terms.amount !== null && terms.amount > limits.amount_max) reasons.push('MAX_AMOUNT_EXCEEDED')
  if (terms.days !== null && terms.days > limits.days_max) {
    reasons.push('EXCESSIVE_DURATION_LOAN_REQUEST')
  }
  return reasons
}
