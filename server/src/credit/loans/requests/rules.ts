/** Decides whether to grant a loan, by the rules for loan requests. Pure. */
import type { DenialCode, Status } from '@headroom/contract'
import { type Day, daysBetween } from '../../../platform/kit/dates.ts'
import { financesInvoices } from '../../invoices/rules.ts'
import { daysLate } from '../dates.ts'
import { areVerified, type InvoiceTerms, invoiceRefusal } from './invoice-rules.ts'

export interface LoanApplication {
  readonly loan_type: string
  readonly amount: bigint
  readonly to_pay_on: Day
  readonly to_repay_on: Day
  /** The invoices to finance; only for invoice financing. */
  readonly invoices: readonly InvoiceTerms[]
  /** Whether the request has invoices although its loan type finances none. */
  readonly stray_invoices: boolean
  /** Whether the payout account is the borrower's own, or why it cannot be paid. */
  readonly payee: 'own' | 'foreign' | 'refused' | 'unsupported' | 'bank_unknown'
}

export interface DecisionInputs {
  readonly today: Day
  readonly product: {
    readonly offered: boolean
    readonly duration_days_min: number
    readonly duration_days_max: number
    readonly amount_max: bigint
    readonly late_grace_days: number
  } | null
  readonly borrower: {
    readonly status: Status<'borrower'>
    readonly signed: boolean
    readonly compliance: Status<'compliance'>
    readonly method_ready: boolean
    /** Whether the registry has answered about the company; loans wait until it has. */
    readonly known: boolean
    readonly active: boolean
    readonly insolvent: boolean
    /** Whether the company is younger than the product requires. */
    readonly too_young: boolean
    /** Public bodies cannot borrow. */
    readonly public_body: boolean
  }
  /** The credit line, with the cents still available; null if there is none. */
  readonly line: { readonly available: bigint; readonly ends_on: Day } | null
  /** Cents left under the partner's ceiling, across all its borrowers. */
  readonly partner_available: bigint
  /** Whether the partner, if it pays the fees, is in arrears with its own bills. */
  readonly fees_unpaid: boolean
  readonly partner_stopped: boolean
  /** For each overdue loan, the day from which its days past due count. */
  readonly late_days: readonly Day[]
  /** The day on which the payout would be made. */
  readonly payout_on: Day
}

export type Decision =
  | { readonly outcome: 'approve' }
  | { readonly outcome: 'wait' }
  | { readonly outcome: 'decline'; readonly code: DenialCode }

/** Days that a loan may stay unapproved after its payout date. Then it is declined. */
export const HELD_DAYS_MAX = 30

const UNUSABLE = ['BLOCKED', 'DEACTIVATED', 'PROHIBITED']

/** Decides on a request. If several reasons apply, returns the one to remedy first. */
export function decide(application: LoanApplication, now: DecisionInputs): Decision {
  const code = refusal(application, now)
  if (code) return { outcome: 'decline', code }
  const ready = isReviewed(now) && areVerified(application.invoices)
  return { outcome: ready ? 'approve' : 'wait' }
}

/** The inputs that apply to every request, whatever its amount and dates. */
export type BorrowerInputs = Omit<DecisionInputs, 'line' | 'partner_available' | 'payout_on'> & {
  readonly line: { readonly ends_on: Day } | null
}

/**
 * Why the borrower cannot draw now; null if it can. With `KYB_REVIEW`, a request is not declined
 * but waits for the KYB review.
 */
export function drawingRefusal(now: BorrowerInputs): DenialCode | 'KYB_REVIEW' | null {
  const code = productStopped(now) ?? borrowerRefusal(now) ?? lineRefusal(now)
  if (code) return code
  return isReviewed(now) ? null : 'KYB_REVIEW'
}

function isReviewed({ borrower }: Pick<DecisionInputs, 'borrower'>): boolean {
  return borrower.compliance === 'APPROVED' && borrower.known
}

function refusal(application: LoanApplication, now: DecisionInputs): DenialCode | null {
  return (
    productRefusal(application, now) ??
    borrowerRefusal(now) ??
    invoicesRefusal(application) ??
    moneyRefusal(application, now)
  )
}

function productRefusal(application: LoanApplication, now: DecisionInputs): DenialCode | null {
  const stopped = productStopped(now)
  if (stopped) return stopped
  const days = daysBetween(application.to_pay_on, application.to_repay_on)
  if (days > now.product!.duration_days_max) return 'EXCESSIVE_DURATION_LOAN_REQUEST'
  return null
}

function productStopped(now: BorrowerInputs): DenialCode | null {
  if (!now.product?.offered) return 'FINANCIAL_PRODUCT_NOT_IN_RELEASE'
  return now.fees_unpaid || now.partner_stopped ? 'LINKED_BUSINESS_IS_BLOCKED' : null
}

function borrowerRefusal(now: BorrowerInputs): DenialCode | null {
  const { borrower } = now
  if (borrower.status === 'TO_SIGN') return 'BORROWER_TO_SIGN'
  if (isLate(now)) return 'LATE_REPAYMENT_BORROWER'
  if (isUnusable(borrower)) return 'BORROWER_STATUS'
  if (!borrower.signed) return 'BORROWER_TO_SIGN'
  if (!borrower.active) return 'BUSINESS_RADIATED'
  if (borrower.insolvent) return 'INSOLVENCY_PROCEDURE_EXISTS_BORROWER'
  if (borrower.too_young) return 'BUSINESS_AGE_BELOW_THRESHOLD'
  if (borrower.public_body) return 'LEGAL_FORM_NOT_ELIGIBLE_BORROWER'
  if (borrower.compliance === 'REJECTED') return 'BUSINESS_COMPLIANCE_ISSUE_DETECTED'
  if (!borrower.method_ready) return 'BORROWER_STATUS'
  return null
}

function invoicesRefusal(application: LoanApplication): DenialCode | null {
  if (application.stray_invoices) return 'INVOICE_NON_ELIGIBLE_USE_CASE'
  if (!financesInvoices(application.loan_type)) return null
  return invoiceRefusal(application.amount, application.invoices)
}

function lineRefusal({ line, today }: BorrowerInputs): DenialCode | null {
  if (!line) return 'USER_DOES_NOT_MEET_MINIMUM_REQUIREMENT_FOR_CREDIT_LINE'
  return line.ends_on < today ? 'OUTDATED_DATA' : null
}

function moneyRefusal(application: LoanApplication, now: DecisionInputs): DenialCode | null {
  const refused = lineRefusal(now)
  if (refused) return refused
  if (application.payee === 'unsupported') return 'UNAUTHORIZED_LOAN_PAYMENT_ACCOUNT'
  if (application.payee === 'bank_unknown')
    return 'UNAUTHORIZED_LOAN_PAYMENT_ACCOUNT_BANK_IDENTIFIER'
  if (application.payee === 'foreign') return 'UNAUTHORIZED_LOAN_PAYMENT_BENEFICIARY'
  if (application.payee === 'refused') return 'UNAUTHORIZED_LOAN_PAYMENT_ACCOUNT'
  if (now.payout_on >= application.to_repay_on) return 'LOAN_REQUEST_EXPIRED'
  if (application.amount > now.line!.available) return 'AMOUNT_SUPERIOR_TO_AVAILABLE_BALANCE'
  if (application.amount > now.partner_available) return 'EXCEEDED_PARTNER_CREDIT_LINE'
  if (application.amount > now.product!.amount_max) return 'EXCESSIVE_AMOUNT_LOAN_REQUEST'
  return null
}

/**
 * Whether the borrower's status prevents borrowing. A rejected KYB review blocks the borrower too,
 * but has a separate denial code.
 */
function isUnusable({ status, compliance }: DecisionInputs['borrower']): boolean {
  return UNUSABLE.includes(status) && !(status === 'BLOCKED' && compliance === 'REJECTED')
}

/**
 * Whether a loan is overdue beyond the product's grace period, which keeps the borrower from
 * drawing.
 */
function isLate(now: BorrowerInputs): boolean {
  const grace = now.product?.late_grace_days ?? 0
  return now.late_days.some(late_from => daysLate(late_from, now.today) > grace)
}
