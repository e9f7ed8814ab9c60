/**
 * How business facts are booked: pure functions that return balanced postings. Those of a loan
 * follow from its totals before and after the fact. Modules decide when to book; statuses and jobs
 * play no part here.
 */
import { assert } from '../kit/assert.ts'
import type { Day } from '../kit/dates.ts'
import { maxAmount } from '../kit/money.ts'
import type { AccountCode } from './chart.ts'

export type EntryKind =
  | 'payout'
  | 'payout_returned'
  | 'repayment'
  | 'repayment_returned'
  | 'surplus_moved'
  | 'write_off'
  | 'interest_stop'
  | 'recovery'
  | 'recovery_returned'
  | 'bill'
  | 'bill_payment'
  | 'credit_note'
  | 'credit_set_off'
  | 'credit_refund'
  | 'credit_refund_returned'
  | 'refund'
  | 'refund_returned'
  | 'partner_share'
  | 'partner_share_returned'
  | 'funding_received'
  | 'opening_balance'
  | 'bank_charge'
  | 'bank_interest'
  | 'transfer_sent'
  | 'transfer_arrived'
  | 'suspense_received'
  | 'suspense_matched'
  | 'suspense_unmatched'
  | 'suspense_returned'
  | 'suspense_lost'
  | 'card_clearing'
  | 'card_refund'
  | 'card_cycle'
  | 'processor_payment'
  | 'processor_payment_returned'
  | 'revenue_share'
  | 'revenue_share_deleted'
  | 'revenue_share_paid'
  | 'revenue_share_returned'
  | 'subscription_fee'
  | 'subscription_fee_paid'
  | 'subscription_fee_returned'
  | 'recollection_fee'
  | 'recollection_fee_returned'
  | 'recollection_fee_paid_out'
  | 'recollection_fee_payout_returned'

export interface Posting {
  readonly code: AccountCode
  readonly owner_id: string | null
  /** In cents; debit positive, credit negative. */
  readonly amount: bigint
  /** For cash, the day on which the bank booked it. */
  readonly bank_booked_on?: Day
}

/** The account that a posting is made on; for cash, also the bank's booking date. */
export type PostingSide = Omit<Posting, 'amount'>

/** Cash at one of our bank accounts, moved on the bank's booking date. */
export interface BankCash extends PostingSide {
  readonly code: 'bank_cash'
  readonly owner_id: string
  readonly bank_booked_on: Day
}

export function bankCash(bank_account_id: string, bank_booked_on: Day): BankCash {
  return { code: 'bank_cash', owner_id: bank_account_id, bank_booked_on }
}

export interface LoanTotals {
  readonly principal_outstanding: bigint
  readonly interest_accrued: bigint
  readonly interest_billed: bigint
  readonly interest_paid: bigint
  /** The partner's share of the accrued interest, and how much of it was paid out. */
  readonly mark_up_accrued: bigint
  readonly mark_up_paid_out: bigint
  readonly surplus: bigint
  readonly surplus_refunded: bigint
  /** Null unless the loan is written off. Nothing is receivable on a written-off loan. */
  readonly written_off_on: Day | null
  readonly principal_written_off: bigint
  readonly interest_written_off: bigint
  readonly principal_recovered: bigint
  readonly interest_recovered: bigint
  readonly mark_up_written_off: bigint
}

/** The balance each of a loan's accounts must have. The sum is cash sent less cash received. */
export function loanBalances(t: LoanTotals): Record<string, bigint> {
  const billedOrPaid = maxAmount(t.interest_billed, t.interest_paid)
  const accrues = t.written_off_on === null
  const overpaid =
    t.interest_accrued - t.interest_paid - (t.interest_written_off - t.interest_recovered)
  return {
    loan_principal: t.principal_outstanding,
    interest_accrued: accrues ? t.interest_accrued - billedOrPaid : overpaid,
    interest_billed: accrues ? billedOrPaid - t.interest_paid : 0n,
    interest_income: t.mark_up_accrued - t.interest_accrued,
    partner_share: t.mark_up_paid_out - t.mark_up_accrued,
    refunds_payable: t.surplus_refunded - t.surplus,
    principal_written_off: t.principal_written_off,
    interest_written_off: t.interest_written_off - t.mark_up_written_off,
    // The part of the loss that the partner bears: it reduces the share owed to the partner.
    mark_up_written_off: t.mark_up_written_off,
    principal_recovered: -t.principal_recovered,
    interest_recovered: -t.interest_recovered,
  }
}

/**
 * The postings that move a loan's accounts from `before` to `after`, with `cash` cents received
 * (positive) or sent (negative). Backdated facts need no special treatment: whatever they shift
 * between principal, interest and surplus is in the difference. `other` is the account that the
 * money came to or from; null only if there is none.
 */
export function loanPostings(
  loan_id: string,
  before: LoanTotals,
  after: LoanTotals,
  cash: bigint,
  other: PostingSide | null,
): Posting[] {
  assert(other || cash === 0n, 'money comes to or from an account')
  const from = loanBalances(before)
  const to = loanBalances(after)
  const postings: Posting[] = []
  for (const code of Object.keys(to)) {
    const amount = to[code]! - from[code]!
    if (amount !== 0n) postings.push({ code: code as AccountCode, owner_id: loan_id, amount })
  }
  if (other) postings.push({ ...other, amount: cash })
  return balanced(postings)
}

/**
 * A payment that could not be matched: cash against suspense. `amount` is negative for money sent.
 */
export function suspensePostings(cash: BankCash, amount: bigint): Posting[] {
  return transferPostings(cash, { code: 'suspense', owner_id: null }, amount)
}

/** Cash against one of the lender's accounts; `amount` is negative if cash left. */
export function cashPostings(
  cash: BankCash,
  code: 'bank_charges' | 'bank_interest' | 'cash_in_transit' | 'lender_capital' | 'opening_balance',
  amount: bigint,
): Posting[] {
  return transferPostings(cash, { code, owner_id: null }, amount)
}

/** Transfers an amount between two accounts: debits the first and credits the second. */
export function transferPostings(
  debit: PostingSide,
  credit: PostingSide,
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
