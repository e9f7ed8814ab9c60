/**
 * Facts that one module publishes and others react to in the same transaction. A lower module never
 * calls a higher one: it publishes what happened, and `reactions.ts` lists who reacts.
 */
import type { RawBuilder } from 'kysely'
import type { LockedLine } from './companies/credit-lines/index.ts'
import type { BilledLoan, PrincipalStep } from './credit/loans/index.ts'
import type { Company } from './integrations/ports/registry.ts'
import type { BankNewsRow, PaymentRow } from './money/payments/types.ts'
import type { RowKey } from './platform/db/of-partner.ts'
import type { Tx } from './platform/db/transaction.ts'
import type { Day } from './platform/kit/dates.ts'
import type { BankCash, EntryKind } from './platform/ledger/index.ts'

interface Facts {
  /** A registry or two operators answered about a company; null if the registry has none. */
  company_answered: { company_key: string; company: Company | null }
  /** A registry's answer was stored with a borrower. */
  company_found: { partner_id: string; borrower_id: string; company_key: string }
  /** A borrower was created, in TO_SIGN. */
  borrower_created: { borrower_id: string; partner_id: string; company_key: string }
  borrower_signed: { borrower_id: string; partner_id: string }
  /** A borrower may now meet the conditions for READY, such as having a repayment method. */
  borrower_progressed: { borrower_id: string; partner_id: string }
  /** A repayment method was chosen for active loans. Debits due too soon keep their method. */
  repayment_method_chosen: {
    borrower_id: string
    partner_id: string
    repayment_method_id: string
  }
  main_method_chosen: { borrower_id: string; partner_id: string }
  /** The main repayment method ended. Another replaces it, if the borrower has one. */
  main_method_replaced: { borrower_id: string; partner_id: string }
  /** A mandate can no longer be debited. */
  mandate_ended: {
    partner_id: string
    mandate_id: string
    because: 'refused' | 'unused' | 'deactivated'
  }
  /** The mail server accepted the first mail of a bill. */
  bill_mailed: { partner_id: string; bill_id: string }
  /** The mail server refused a mail for good; `reason` is its answer. */
  mail_refused: {
    partner_id: string
    borrower_id: string | null
    bill_id: string | null
    revenue_share_id: string | null
    recipient: string
    subject: string
    reason: string
  }
  /** Newly shared data about a company takes effect. */
  business_data_shared: { partner_id: string; company_key: string }
  /** A borrower without debts was deactivated, which is final. */
  borrower_deactivated: { borrower_id: string; partner_id: string }
  product_changed: { product_id: string }
  kyb_approved: { borrower_id: string; partner_id: string }
  /** A borrower's company and its people are on no list any more. */
  refunds_released: { borrower_id: string; partner_id: string }
  /** A lender operator ended lending to a borrower, which is final. */
  borrower_prohibited: { borrower_id: string; partner_id: string }
  kyb_rejected: { borrower_id: string; partner_id: string }
  payment_settled: { payment: PaymentRow; value_on: Day }
  payment_failed: { payment: PaymentRow; reason: string }
  /** The bank canceled the payment; `recalled` if we requested it. */
  payment_canceled: { payment: PaymentRow; reason: string; recalled: boolean }
  /** `cash` is the account that the return moved. */
  payment_returned: {
    payment: PaymentRow
    back_id: string
    value_on: Day
    reason: string
    cash: BankCash
  }
  /** A payment has surplus. It pays the payment's other targets; the rest is refunded. */
  surplus_found: { payment: PaymentRow }
  transfer_received: { news: BankNewsRow }
  debits_instructed: { payments: readonly PaymentRow[] }
  /** A new due date or repayment method was agreed for an active loan. */
  repayment_agreed: { loan_id: string; partner_id: string }
  /**
   * A loan has been overdue for so long that it needs attention. Published once per overdue period.
   */
  loan_late: {
    loan_id: string
    partner_id: string
    borrower_id: string
    /** The day from which days past due are counted. */
    late_from: Day
    days_late: number
  }
  /** Unpaid installments of a contractual plan are due for a reminder. */
  installment_late: { partner_id: string; installment_plan_id: string }
  /** Loans were canceled or deleted before their payout, or after it failed or was returned. */
  loans_withdrawn: { loans: readonly RowKey[] }
  /** An invoice was verified or declined, by a reviewer or by the checks after its submission. */
  invoice_reviewed: { invoice_id: string; partner_id: string }
  /** The card processor answered an order; `answer` is null if it refused the order. */
  card_order_answered: {
    partner_id: string
    order_id: string
    answer: { status: number; json: unknown } | null
  }
  bills_reopened: { borrowers: readonly RowKey[] }
  /** The balances of loans changed, for example by a repayment, a return or a bill. */
  loan_money_changed: { changes: readonly LoanMoneyChange[] }
}

/** The change of one loan's balances. A fact lists each loan once. */
export interface LoanMoneyChange {
  readonly loan_id: string
  readonly partner_id: string
  readonly kind: EntryKind
  readonly payment_id: string | null
  readonly credit_line_id: LockedLine | null
  readonly loan_type: string
  /** The loan as just written. `steps` are its principal by day. */
  readonly loan: BilledLoan
  readonly steps: readonly PrincipalStep[]
  readonly links: LoanLinks
}

/**
 * What depends on a loan's balances. Read by the statement that writes the balances, so that
 * reactions with nothing to do need no query.
 */
export interface LoanLinks {
  /** The loan is on a bill, or may be added to its payer's open bill. */
  readonly bills: boolean
  /** An installment plan covers the loan, or a bill that includes or may include it. */
  readonly plans: boolean
  /** A collections case of the loan, or of a bill that includes it, may close or reopen. */
  readonly cases: boolean
  /** The change may affect the overdue debts of the loan's borrower. */
  readonly lateness: boolean
}

/** The SQL condition of each link, for a loan `l` as just written. */
export type LoanLinkConditions = {
  readonly [T in keyof LoanLinks]: (today: Day) => RawBuilder<boolean>
}

/** The part of a plan's installment that has yet to be collected for one loan. */
export interface PlannedPart {
  readonly due_on: Day
  /** The day of the installment's pending debit; null without one. */
  readonly debited_on: Day | null
  /** Cents of principal and interest, as text. */
  readonly amount: string
}

/** SQL about a loan `l`, defined by higher modules for the loan queries. */
export interface LoanSql {
  readonly links: LoanLinkConditions
  /**
   * The loan's unpaid installments, by due date, in the plan that settles it; null without a plan.
   */
  readonly planned: RawBuilder<PlannedPart[] | null>
}

export type FactName = keyof Facts
export type FactOf<N extends FactName> = Facts[N]
export type Reaction<N extends FactName> = (tx: Tx, fact: Facts[N]) => Promise<void>
export type Reactions = { readonly [N in FactName]: readonly Reaction<N>[] }

let reactions: Reactions | null = null
let registeredLoanSql: LoanSql | null = null

/** Call it at startup, before any fact is published. */
export function registerReactions(list: Reactions, aboutLoans: LoanSql): void {
  reactions = list
  registeredLoanSql = aboutLoans
}

export function loanSql(): LoanSql {
  if (!registeredLoanSql) throw new Error('reactions are not registered')
  return registeredLoanSql
}

/** Publishes a fact: its reactions run now, in order, in the same transaction. */
export async function publishFact<N extends FactName>(
  tx: Tx,
  name: N,
  fact: Facts[N],
): Promise<void> {
  if (!reactions) throw new Error('reactions are not registered')
  for (const react of reactions[name]) await react(tx, fact)
}
