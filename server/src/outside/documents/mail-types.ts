/** What mails are written from. */
import type { Day } from '../../platform/kit/dates.ts'
import type { BillRoute, CreditRefund, Language } from './types.ts'

/** Who writes to whom. */
export type MailHead = {
  language: Language
  lender: { name: string; email: string }
  /** The company written to. */
  recipient: string
}

/** The loan a mail is about. Cents. */
export type LoanMailInput = MailHead & {
  loan_reference: string
  amount: bigint
  currency: string
}

/** `mandate_reference` is null for a borrower that repays by transfer. */
export type TermsSignedMailInput = MailHead & { mandate_reference: string | null }

export type ContractMailInput = LoanMailInput & {
  to_pay_at: Day
  to_repay_at: Day
  interest_estimated: bigint
}

/** `amount` is what the plan repays of the loan, between the first and the last day. */
export type AmendmentMailInput = LoanMailInput & {
  installments: number
  first_due_on: Day
  last_due_on: Day
}

/** `iban` is the account paid; `to_repay_at` the day on which the principal falls due. */
export type PayoutMailInput = LoanMailInput & { paid_on: Day; iban: string; to_repay_at: Day }

/** Cents of interest that bills have asked for, and that the next one will; both may be 0. */
export type RepaidMailInput = LoanMailInput & {
  repaid_on: Day
  interest_on_bills: bigint
  interest_to_bill: bigint
}

/** `amount` is the principal still owed; `before` the day it was due until now. */
export type PostponedMailInput = LoanMailInput & { before: Day; to_repay_at: Day }

/** A debit is coming: what for, the amount, and the account and mandate it is taken by. */
export type DebitMailInput = MailHead & {
  debited: 'loan' | 'bill' | 'installment' | 'fee'
  reference: string
  /** Cents. */
  amount: bigint
  currency: string
  debit_on: Day
  debtor_iban: string
  mandate_reference: string
  creditor_identifier: string
}

/** What was to be debited, and where to it is transferred now. Cents. */
export type ToTransfer = {
  owed: 'loan' | 'bill' | 'installment' | 'fee'
  reference: string
  amount: bigint
  currency: string
  due_on: Day
  iban: string
}

/** A mandate has ended: because its bank refuses it, or as nothing was debited for so long. */
export type MandateEndedMailInput = MailHead & {
  because: 'refused' | 'unused'
  mandate_reference: string
  debtor_iban: string
  /** Whether another repayment method is in force. */
  has_method: boolean
  account_holder: string
  to_transfer: ToTransfer[]
}

/** `amount` of refunds is principal again; `owed` is all principal that is outstanding. Cents. */
export type RefundReclaimedMailInput = LoanMailInput & {
  /** Of the amount: went to payers' accounts that are not the borrower's. */
  to_others: bigint
  owed: bigint
  due_on: Day
  account_holder: string
  iban: string
}

/** `amount` is the principal still owed, `interest` what accrued on it and is not paid. */
export type LateMailInput = LoanMailInput & {
  due_on: Day
  days_late: number
  interest: bigint
  /** The borrower may not draw meanwhile. */
  suspended: boolean
  account_holder: string
  iban: string
}

/** Installments of a contractual plan that are late; `amount` is what is unpaid of them. */
export type InstallmentLateMailInput = MailHead & {
  plan_reference: string
  amount: bigint
  currency: string
  /** Of the oldest. */
  due_on: Day
  days_late: number
  account_holder: string
  iban: string
}

/** What a loan or a bill of a plan owes by itself again, and how it is paid. Cents. */
export type DebtAgain = {
  owed: 'loan' | 'bill'
  /** How the borrower knows it: of a bill its number. */
  name: string
  /** Of a transfer that pays it. */
  reference: string
  /** Outstanding principal, or what is unpaid of a bill. */
  amount: bigint
  /** Interest accrued that no bill of the mail has; a bill itself has none. */
  interest: bigint
  /** Both the same where all is due on one day. */
  due_from: Day
  due_until: Day
  /** Debits to come; what they leave is transferred. */
  debits: { on: Day; amount: bigint }[]
  iban: string
}

/** An installment was not paid, so that its plan has ended; the debts are due on their own days. */
export type PlanBrokenMailInput = MailHead & {
  plan_reference: string
  currency: string
  /** Of the installment that was not paid, and what is unpaid of it. */
  due_on: Day
  unpaid: bigint
  account_holder: string
  debts: DebtAgain[]
}

export type BillWithdrawnMailInput = MailHead & {
  number: string
  period: { from: Day; to: Day }
}

export type RevenueShareMailInput = MailHead & {
  period: { from: Day; to: Day }
  /** Cents. */
  amount: bigint
  currency: string
}

export type BillMailInput = MailHead & {
  number: string
  period: { from: Day; to: Day }
  /** Cents still to be paid. */
  to_pay: bigint
  currency: string
  due_on: Day
  payment: BillRoute
}

/** A credit note: cents set off against open bills, and what is paid back. */
export type CreditMailInput = MailHead & {
  number: string
  period: { from: Day; to: Day }
  currency: string
  set_off: bigint
  refund?: CreditRefund
}

export type Mail = { subject: string; text: string }
