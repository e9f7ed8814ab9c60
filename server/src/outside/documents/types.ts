/** What documents and mails are made from: plain data, no database row and no clock. */
import type { BILL_LINE_REASONS, CountryCode } from '@headroom/contract'
import type { Day } from '../../platform/kit/dates.ts'
import type { Locale } from '../../platform/kit/money.ts'

export type Language = Locale
export type Country = CountryCode

/** The lender as it signs. `address` is printed line by line, the country under it. */
export type Lender = {
  name: string
  address: string[]
  /** ISO 3166-1 alpha-2. */
  country: string
  /** SEPA creditor identifier, e.g. FR72ZZZ123456. */
  creditor_identifier: string
  /** Register and number as law wants them on letters, e.g. 'RCS Paris 732 829 320'. */
  registration: string
  /** Where questions and data protection requests go. */
  email: string
}

/** A company that is party to a loan or payer of a bill. */
export type Party = {
  name: string
  identifier: string
  /** A name of the identifier list of the interface: siren, kvk, hr_nummer, … */
  identifier_type: string
  address: string[]
  /** ISO 3166-1 alpha-2. */
  country: string
}

/** The terms of a product. Days are calendar days unless named banking days. */
export type ProductTerms = {
  name: string
  product_type: 'WALLET_FINANCING' | 'INVOICE_BASED_FINANCING'
  currency: string
  /** Daily interest in parts per million of the outstanding principal. */
  rate_ppm: number
  days_min: number
  days_max: number
  /** How long a credit line is valid. */
  line_days: number
  /** Time in Paris, 'HH:MM', after which a payout goes on the next banking day. */
  cut_off: string
  /** Banking days that a change of a debited repayment date takes. */
  change_notice_days: number
  /** The banking day of the month on which the bill falls due, counted from 1. */
  bill_due_banking_day: number
  prenotification_days: number
  /** Days of lateness that have no consequence but interest. */
  grace_days: number
  reminder_days: number[]
  /** The day of lateness on which a recollection case opens. */
  case_days: number
  /** Days after its due date from which an unpaid bill suspends the account. */
  bill_grace_days: number
  /** Days after which money that cannot be attributed goes back. */
  suspense_days: number
  /** Notice by which the agreement ends or these terms change. */
  notice_days: number
}

export type MandateScheme = 'CORE' | 'B2B'

/** How a sum is paid: collected by direct debit, transferred, or taken from a wallet. */
export type PaymentRoute =
  | {
      method: 'DIRECT_DEBIT'
      scheme: MandateScheme
      mandate_reference: string
      debtor_iban: string
      /** Day on which the account is debited. */
      debit_on: Day
    }
  | { method: 'SCT'; iban: string; bic?: string; account_holder: string; reference: string }
  | { method: 'P2P'; wallet: string; debit_on: Day }

/** How a bill is paid; one that an installment plan settles is not paid by itself. */
export type BillRoute = PaymentRoute | { method: 'PLAN' }

/** What every document carries. */
export type DocumentHead = {
  document_id: string
  issued_on: Day
  language: Language
  lender: Lender
}

/** A loan agreement. `repayment.debit_on` announces the debit (pre-notification). */
export type ContractInput = DocumentHead & {
  /** The country whose law the terms name: the borrower's. */
  country: Country
  borrower: Party
  terms: { version: string; accepted_on: Day }
  loan: {
    reference: string
    loan_type: 'WALLET_FINANCING' | 'INVOICE_BASED_FINANCING' | 'CREDIT_CARD_FINANCING'
    /** Cents. */
    amount: bigint
    currency: string
    to_pay_at: Day
    to_repay_at: Day
    /** Days that carry interest when paid out and repaid as planned. */
    days: number
    rate_ppm: number
    /** Cents, rounded once, if repaid as planned. */
    interest_estimated: bigint
    /** Or the number of a wallet. */
    payout_iban: string
    payout_holder: string
    invoice_number?: string
  }
  repayment: PaymentRoute
  /** IBAN and reference by which the loan may also be repaid early by transfer. */
  early_repayment?: { iban: string; reference: string }
  plan?: ContractPlan
}

/**
 * The installments of a loan. With `amends` it is a plan that was agreed on later: the agreement
 * then replaces an earlier one. Cents.
 */
export type ContractPlan = {
  amends?: { document_id: string; issued_on: Day }
  recollection_fees?: bigint
  installments: { due_on: Day; amount: bigint }[]
}

/** A SEPA direct debit mandate. */
export type MandateInput = DocumentHead & {
  scheme: MandateScheme
  mandate_reference: string
  debtor: Party
  iban: string
  bic: string
  signed_on: Day
  /** Who signed for the debtor. */
  signatory?: string
}

/** Days with one outstanding principal; both `from` and `to` are counted. */
export type BillItemKind = 'INTEREST' | 'PARTNER_MARK_UP' | 'ADJUSTMENT' | 'LAPSED' | 'ROUNDING'

/**
 * A printed line of a bill, in cents; negative when it credits. With `run`, it is the principal of
 * the run × its rate × its days, rounded half even.
 */
export type BillItem = {
  kind: BillItemKind
  component: 'INTEREST' | 'PARTNER_MARK_UP'
  amount: bigint
  /** First and last day, both counted. */
  run?: { from: Day; to: Day; days: number; principal: bigint; rate_ppm: number }
  /** Of an adjustment. */
  reason?: (typeof BILL_LINE_REASONS)[number]
  /** The number of the bill that it corrects. */
  corrects?: string
  /** Of rounding: all interest to the end of the period, and what was billed of it before. */
  to_date?: { exact_microcents: bigint; billed_before: bigint }
}

/** One loan on a bill. */
export type BillLine = {
  loan_reference: string
  /** Named when one payer pays for many borrowers. */
  borrower?: string
  items: BillItem[]
}

/** Cents that go back to an account, and the day on which they leave. */
export type CreditRefund = { amount: bigint; on: Day; iban: string }

/** An interest bill, or a credit note when its total is negative. */
export type BillInput = DocumentHead & {
  number: string
  payer: Party
  currency: string
  /** First and last day billed. */
  period: { from: Day; to: Day }
  lines: BillLine[]
  /** Sum of all lines. */
  total: bigint
  /** What had paid it before it was made; below zero, what of it settles earlier bills. */
  prepaid: bigint
  /** What of it is paid back. */
  refund?: CreditRefund
  due_on: Day
  payment: BillRoute
  amends?: { number: string; issued_on: Day }
}

/** What a row of a statement tells. */
export type StatementKind =
  | 'credited'
  | 'fee'
  | 'interest'
  | 'other'
  | 'paid_out'
  | 'recovered'
  | 'refunded'
  | 'repaid'
  | 'returned'
  | 'set_off'
  | 'written_off'

/** Movements in their order; amounts in cents that what is owed grew by, or shrank. */
export type StatementInput = DocumentHead & {
  borrower: Party
  currency: string
  period: { from: Day; to: Day }
  opening: bigint
  closing: bigint
  /** Interest that is not in the balances, because no bill has asked for it yet. */
  unbilled: bigint
  /** What pays everything off. */
  payoff: bigint
  lines: {
    on: Day
    loan_reference: string
    kind: StatementKind
    amount: bigint
    balance: bigint
  }[]
}

/** What a card was used for, oldest first; amounts in cents, what came back below zero. */
export type CardStatementInput = DocumentHead & {
  borrower: Party
  currency: string
  period: { from: Day; to: Day }
  card: { holder: string; last4: string }
  lines: {
    on: Day
    merchant: string
    status: 'pending' | 'completed' | 'declined' | 'reversed'
    amount: bigint
    /** Another than the card's where it was declined for that. */
    currency?: string
  }[]
}
