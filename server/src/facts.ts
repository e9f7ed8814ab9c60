/**
 * Facts that one room states and others act on, in the same transaction. A lower room never
 * calls a higher one: it states what happened, and `reactions.ts` says who acts on it.
 */
import type { RawBuilder } from 'kysely'
import type { BankNewsRow, PaymentRow } from './money/payments/types.ts'
import type { Actor } from './platform/db/move.ts'
import type { Tx } from './platform/db/transaction.ts'
import type { Day } from './platform/kit/dates.ts'
import type { EntryKind } from './platform/ledger/index.ts'

interface Facts {
  /** A company has become a borrower, in TO_SIGN. */
  borrower_created: { borrower_id: string; partner_id: string; company_key: string }
  /** A borrower has accepted the terms. */
  borrower_signed: { borrower_id: string; partner_id: string }
  /** A borrower has signed, or a repayment method was enabled: it may be complete now. */
  borrower_progressed: { borrower_id: string; partner_id: string }
  /** A method is to collect the loans that are running, where nothing is frozen yet. */
  repayment_method_chosen: {
    borrower_id: string
    partner_id: string
    repayment_method_id: string
  }
  /** Another method is a borrower's main one from now on. */
  main_method_chosen: { borrower_id: string; partner_id: string }
  /** Nothing can be debited by a mandate any more. */
  mandate_ended: { mandate_id: string; because: 'refused' | 'unused' | 'deactivated' }
  /** New data on a company count from now on. */
  business_data_shared: { partner_id: string; company_key: string }
  /** It leaves for good, and owes nothing. */
  borrower_deactivated: { borrower_id: string; partner_id: string }
  /** The lender's people have changed what a product offers. */
  product_changed: { product_id: string }
  kyb_approved: { borrower_id: string; partner_id: string }
  /** One of the lender's people has ended lending to it for good. */
  borrower_prohibited: { borrower_id: string; partner_id: string }
  kyb_rejected: { borrower_id: string; partner_id: string }
  /** The bank has carried out, refused or returned one of our payments. */
  payment_settled: { payment: PaymentRow; value_on: Day }
  payment_failed: { payment: PaymentRow; reason: string }
  /** The bank has canceled it, or given it back at our request: then it is `recalled`. */
  payment_canceled: { payment: PaymentRow; reason: string; recalled: boolean }
  payment_returned: { payment: PaymentRow; back_id: string; value_on: Day; reason: string }
  /** What a payment brought a loan too much would go back, and the payment names other debts. */
  surplus_found: { payment: PaymentRow }
  /** Somebody sent us money. */
  transfer_received: { news: BankNewsRow }
  /** Debits have been handed to the bank. */
  debits_instructed: { payments: readonly PaymentRow[] }
  /** Another day or method was agreed on for a running loan. */
  repayment_agreed: { loan_id: string; partner_id: string }
  /** A loan is late for so long that somebody has to see to it; told once each time. */
  loan_late: {
    loan_id: string
    partner_id: string
    borrower_id: string
    /** The last day on which it was not late. */
    late_from: Day
    days_late: number
  }
  /** It is time to remind of the installments of a contractual plan that are not paid. */
  installment_late: { installment_plan_id: string }
  /** Loans are canceled or deleted before their payout, or after it failed or came back. */
  loans_withdrawn: { loan_ids: readonly string[] }
  /** Somebody has looked at an invoice that waited: it is VERIFIED or DECLINED. */
  invoice_reviewed: { invoice_id: string; partner_id: string }
  /** The card processor has carried out what was ordered; null: it refuses. */
  card_order_answered: {
    order_id: string
    answer: { status: number; json: unknown } | null
  }
  /** Money of loans changed: a repayment, a return, a bill. */
  loan_money_changed: { changes: readonly LoanMoneyChange[] }
}

/** What of one loan changed; none is twice in a fact. */
export interface LoanMoneyChange {
  readonly loan_id: string
  readonly partner_id: string
  readonly kind: EntryKind
  readonly payment_id: string | null
  readonly credit_line_id: string | null
  readonly loan_type: string
  readonly ties: LoanTies
}

/**
 * What follows a loan's money. It is read where the money is written, so that reactions which have
 * nothing to do read nothing.
 */
export interface LoanTies {
  /** It is on a bill, or its payer has one to pay. */
  readonly bills: boolean
  /** A plan settles it, or a bill with a line of it. */
  readonly plans: boolean
  /** A recollection case, open or closed, is about it or about a bill with a line of it. */
  readonly cases: boolean
  /** It is late, or its borrower is blocked or has a bill overdue. */
  readonly lateness: boolean
}

/** The conditions of ties, in SQL, of a loan `l` as it has just been written. */
export type TieConditions = {
  readonly [T in keyof LoanTies]: (today: Day) => RawBuilder<boolean>
}

export type FactName = keyof Facts
export type Reaction<N extends FactName> = (tx: Tx, fact: Facts[N], actor: Actor) => Promise<void>
export type Reactions = { readonly [N in FactName]: readonly Reaction<N>[] }

let reactions: Reactions | null = null
let ties: TieConditions | null = null

/** Called once by the wiring, before anything runs. */
export function registerReactions(list: Reactions, conditions: TieConditions): void {
  reactions = list
  ties = conditions
}

/** The conditions that `registerReactions` was given. */
export function tieConditions(): TieConditions {
  if (!ties) throw new Error('reactions are not registered')
  return ties
}

/** States a fact: its reactions run now, in their order, inside the same transaction. */
export async function state<N extends FactName>(
  tx: Tx,
  actor: Actor,
  name: N,
  fact: Facts[N],
): Promise<void> {
  if (!reactions) throw new Error('reactions are not registered')
  for (const react of reactions[name]) await react(tx, fact, actor)
}
