/** The inputs of mails. */
import type { Day } from '../../platform/kit/dates.ts'
import type { AmendedBill, BillRoute, CreditUse, Language } from './types.ts'

export type MailHead = {
  language: Language
  lender: { name: string; email: string }
  recipient: string
}

/** The loan a mail is about; amounts in cents. */
export type LoanMailInput = MailHead & {
  loan_reference: string
  amount: bigint
  currency: string
}

/** `mandate_reference` is null for a borrower who repays by bank transfer. */
export type TermsSignedMailInput = MailHead & { mandate_reference: string | null }

/** Whether the borrower pays interest for each day until repayment. */
type BearsInterest = { bears_interest: boolean }

export type ContractMailInput = LoanMailInput & {
  to_pay_at: Day
  to_repay_at: Day
  interest_estimated: bigint
}

/** `amount` is the part of the loan that the plan repays between its first and last due date. */
export type AmendmentMailInput = LoanMailInput & {
  installments: number
  first_due_on: Day
  last_due_on: Day
}

/** `iban` is the recipient account; `to_repay_at` is the principal's due date. */
export type PayoutMailInput = LoanMailInput &
  BearsInterest & {
    paid_on: Day
    iban: string
    to_repay_at: Day
    /** How to repay by transfer; null if debits collect the loan, or nothing is owed. */
    transfer: { dues: readonly Due[]; account_holder: string; iban: string } | null
  }

/** Interest already billed but unpaid, and interest yet to be billed, in cents; either may be 0. */
export type RepaidMailInput = LoanMailInput & {
  repaid_on: Day
  interest_on_bills: bigint
  interest_to_bill: bigint
}

/** `amount` is the outstanding principal; `before` is the previous due date. */
export type PostponedMailInput = LoanMailInput & BearsInterest & { before: Day; to_repay_at: Day }

export type DebitMailInput = MailHead & {
  debited: 'loan' | 'bill' | 'installment' | 'fee'
  reference: string
  /** In cents. */
  amount: bigint
  currency: string
  debit_on: Day
  debtor_iban: string
  mandate_reference: string
  creditor_identifier: string
}

/** An amount in cents, and the day by which it must be paid. */
export type Due = { readonly due_on: Day; readonly amount: bigint }

/** A debt that no debit collects, and the account to pay it to. */
export type ToTransfer = {
  owed: 'loan' | 'bill' | 'installment' | 'fee'
  reference: string
  currency: string
  /** At least one; several for a loan in installments. */
  dues: readonly Due[]
  iban: string
}

/** A bill or monthly fee that no debit collects. */
export type ToTransferMailInput = MailHead & {
  account_holder: string
  debt: ToTransfer & { owed: 'bill' | 'fee' }
  /** Whether the debt is a bill reopened by the reversal of a payment other than its debit. */
  is_reopened?: boolean
}

/** A mandate has ended because the bank refused it, or because it was unused for too long. */
export type MandateEndedMailInput = MailHead & {
  because: 'refused' | 'unused'
  mandate_reference: string
  debtor_iban: string
  /** Whether another repayment method is active. */
  has_method: boolean
  account_holder: string
  to_transfer: ToTransfer[]
}

/** `amount` cents of refunds are principal again; `dues` list all outstanding principal. */
export type RefundReclaimedMailInput = LoanMailInput &
  BearsInterest & {
    /** The part that was refunded to other payers' accounts. */
    to_others: bigint
    dues: readonly Due[]
    account_holder: string
    iban: string
  }

/** `amount` is the outstanding principal already due, `interest` the loan's unpaid interest. */
export type LateMailInput = LoanMailInput &
  BearsInterest & {
    due_on: Day
    days_late: number
    interest: bigint
    /** Debits of `amount` that are planned. The borrower transfers whatever they do not cover. */
    debits: readonly { on: Day; amount: bigint }[]
    /** Whether the borrower is suspended from drawing. */
    suspended: boolean
    account_holder: string
    iban: string
  }

/** Overdue installments of a plan; `amount` is their unpaid total, `due_on` the first due date. */
export type InstallmentLateMailInput = MailHead & {
  plan_reference: string
  amount: bigint
  currency: string
  due_on: Day
  days_late: number
  account_holder: string
  iban: string
}

/**
 * A loan or bill that is due on its own again after its plan has ended, and how to pay it. Amounts
 * are in cents.
 */
export type ReopenedDebt = BearsInterest & {
  owed: 'loan' | 'bill'
  /** The name the borrower knows: for a bill, its number. */
  name: string
  reference: string
  /** Outstanding principal, or the unpaid amount of a bill. */
  amount: bigint
  /** Accrued interest that is on none of the bills in the mail; 0 for a bill. */
  interest: bigint
  /** Equal to `due_until` if everything is due on one day. */
  due_from: Day
  due_until: Day
  /** Upcoming debits. The borrower transfers whatever they do not cover. */
  debits: { on: Day; amount: bigint }[]
  iban: string
}

/** An installment was not paid, so its plan has ended and each debt has its own due dates again. */
export type PlanBrokenMailInput = MailHead & {
  plan_reference: string
  currency: string
  /** The due date and unpaid amount of that installment. */
  due_on: Day
  unpaid: bigint
  account_holder: string
  debts: ReopenedDebt[]
}

export type BillWithdrawnMailInput = MailHead & {
  number: string
  period: { from: Day; to: Day }
}

export type RevenueShareMailInput = MailHead & {
  period: { from: Day; to: Day }
  /** In cents. */
  amount: bigint
  currency: string
}

export type BillMailInput = MailHead & {
  number: string
  period: { from: Day; to: Day }
  /** The amount still to be paid, in cents. */
  to_pay: bigint
  currency: string
  due_on: Day
  payment: BillRoute
  amends?: AmendedBill
}

export type CreditMailInput = MailHead & {
  number: string
  period: { from: Day; to: Day }
  currency: string
  credit: CreditUse
  amends?: AmendedBill
}

export type Mail = { subject: string; text: string }
