/**
 * How each business fact is booked: pure functions from a loan's totals before and after a fact
 * to one balanced entry. Rooms say when; nothing here knows of statuses or jobs.
 */
import { assert } from '../kit/assert.ts'
import type { AccountCode } from './chart.ts'

export type EntryKind =
  | 'payout'
  | 'payout_returned'
  | 'repayment'
  | 'repayment_returned'
  | 'bill'
  | 'bill_payment'
  | 'refund'
  | 'refund_returned'
  | 'partner_share'
  | 'partner_share_returned'
  | 'suspense_received'
  | 'revenue_share'
  | 'revenue_share_deleted'
  | 'revenue_share_paid'
  | 'revenue_share_returned'
  | 'subscription_fee'
  | 'subscription_fee_paid'
  | 'subscription_fee_returned'

export interface Posting {
  readonly code: AccountCode
  readonly owner_id: string | null
  /** Cents; debit positive, credit negative. */
  readonly amount: bigint
}

/** What one loan's movements add up to, in cents. */
export interface LoanTotals {
  readonly principal_outstanding: bigint
  readonly interest_accrued: bigint
  readonly interest_billed: bigint
  readonly interest_paid: bigint
  /** The partner's part of the interest accrued, and what it has got of it. */
  readonly mark_up_accrued: bigint
  readonly mark_up_paid_out: bigint
  readonly surplus: bigint
  readonly surplus_refunded: bigint
}

/** What each of a loan's accounts must hold, given its totals. Sums to minus the cash it took. */
export function loanBalances(t: LoanTotals): Record<string, bigint> {
  const billedOrPaid = t.interest_billed > t.interest_paid ? t.interest_billed : t.interest_paid
  return {
    loan_principal: t.principal_outstanding,
    interest_accrued: t.interest_accrued - billedOrPaid,
    interest_billed: billedOrPaid - t.interest_paid,
    interest_income: t.mark_up_accrued - t.interest_accrued,
    partner_share: t.mark_up_paid_out - t.mark_up_accrued,
    refunds_payable: t.surplus_refunded - t.surplus,
  }
}

/**
 * The postings that carry a loan's accounts from `before` to `after`, with `cash` cents received
 * (positive) or sent (negative). Backdated facts need nothing of their own: whatever they move
 * between principal, interest and surplus is in the difference.
 */
export function loanPostings(
  loan_id: string,
  before: LoanTotals,
  after: LoanTotals,
  cash: bigint,
): Posting[] {
  const from = loanBalances(before)
  const postings: Posting[] = Object.entries(loanBalances(after)).map(([code, balance]) => ({
    code: code as AccountCode,
    owner_id: loan_id,
    amount: balance - from[code]!,
  }))
  postings.push({ code: 'bank_cash', owner_id: null, amount: cash })
  return balanced(postings)
}

/** A transfer that nobody could place: cash against suspense. */
export function suspensePostings(amount: bigint): Posting[] {
  return balanced([
    { code: 'bank_cash', owner_id: null, amount },
    { code: 'suspense', owner_id: null, amount: -amount },
  ])
}

/** One amount from an account to another: the first is debited, the second credited. */
export function transferPostings(
  debit: Pick<Posting, 'code' | 'owner_id'>,
  credit: Pick<Posting, 'code' | 'owner_id'>,
  amount: bigint,
): Posting[] {
  return balanced([
    { ...debit, amount },
    { ...credit, amount: -amount },
  ])
}

function balanced(postings: Posting[]): Posting[] {
  const sum = postings.reduce((total, p) => total + p.amount, 0n)
  assert(sum === 0n, `an entry is out of balance by ${sum} cents`)
  return postings.filter(p => p.amount !== 0n)
}
