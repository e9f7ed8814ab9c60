/** The inputs of documents: plain data, with no database rows and no clock. */
import type { BILL_LINE_REASONS, CountryCode } from '@headroom/contract'
import type { Day } from '../../platform/kit/dates.ts'
import type { Locale } from '../../platform/kit/money.ts'

export type Language = Locale
export type Country = CountryCode

/** The lender as it appears in documents. `address` is printed line by line, then the country. */
export type Lender = {
  name: string
  address: string[]
  /** ISO 3166-1 alpha-2. */
  country: string
  /** SEPA creditor identifier, e.g. FR72ZZZ123456. */
  creditor_identifier: string
  /** Registration as required on letters, e.g. 'RCS Paris 732 829 320'. */
  registration: string
  /** Who signs contracts, by name and title. */
  signatories: string[]
  /** The contact for questions and data protection requests. */
  email: string
}

/** A company that borrows or pays a bill. */
export type Party = {
  name: string
  identifier: string
  /** One of the API's identifier types: siren, kvk, hr_nummer, … */
  identifier_type: string
  address: string[]
  /** ISO 3166-1 alpha-2. */
  country: string
}

/** A product's terms. Days are calendar days unless named banking days. */
export type ProductTerms = {
  name: string
  product_type: 'WALLET_FINANCING' | 'INVOICE_BASED_FINANCING'
  currency: string
  /** Daily interest in parts per million of the outstanding principal. */
  rate_ppm: number
  days_min: number
  days_max: number
  line_days: number
  /** Paris time, 'HH:MM', after which payouts leave on the next banking day. */
  cut_off: string
  /** Banking days of notice needed to change the due date of a debited loan. */
  change_notice_days: number
  /** The banking day of the month on which bills fall due, counted from 1. */
  bill_due_banking_day: number
  prenotification_days: number
  /** Days past due before drawing is suspended. */
  grace_days: number
  reminder_days: number[]
  case_days: number
  /** Days past due at which an unpaid bill suspends the account. */
  bill_grace_days: number
  suspense_days: number
  /** Notice period for ending the agreement or changing these terms. */
  notice_days: number
}

export type MandateScheme = 'CORE' | 'B2B'

/** How an amount is paid: by direct debit, bank transfer, or from a wallet. */
export type PaymentRoute =
  | {
      method: 'DIRECT_DEBIT'
      scheme: MandateScheme
      mandate_reference: string
      debtor_iban: string
      debit_on: Day
    }
  | { method: 'SCT'; iban: string; bic?: string; account_holder: string; reference: string }
  | { method: 'P2P'; wallet: string; debit_on: Day }

/** How a bill is paid. `PLAN`: an installment plan settles it, so it is not paid separately. */
export type BillRoute = PaymentRoute | { method: 'PLAN' }

export type DocumentHead = {
  document_id: string
  issued_on: Day
  language: Language
  lender: Lender
}

/** A loan agreement. `repayment.debit_on` announces the debit (pre-notification). */
export type ContractInput = DocumentHead & {
  /** The borrower's country, whose law the terms name. */
  country: Country
  borrower: Party
  terms: { version: string; accepted_on: Day }
  loan: {
    reference: string
    loan_type: 'WALLET_FINANCING' | 'INVOICE_BASED_FINANCING' | 'CREDIT_CARD_FINANCING'
    /** In cents. */
    amount: bigint
    currency: string
    to_pay_at: Day
    to_repay_at: Day
    /** Interest-bearing days if paid out and repaid as planned. */
    days: number
    rate_ppm: number
    /** In cents, rounded once, if repaid as planned. */
    interest_estimated: bigint
    /** An IBAN or a wallet's account number. */
    payout_iban: string
    payout_holder: string
    invoice_number?: string
  }
  repayment: PaymentRoute
  early_repayment?: { iban: string; reference: string }
  plan?: ContractPlan
}

/**
 * A loan's installments, in cents. With `amends`, the plan was agreed on later and this agreement
 * replaces an earlier one.
 */
export type ContractPlan = {
  amends?: { document_id: string; issued_on: Day }
  recollection_fees?: bigint
  installments: { due_on: Day; amount: bigint }[]
}

export type MandateInput = DocumentHead & {
  scheme: MandateScheme
  mandate_reference: string
  debtor: Party
  iban: string
  bic: string
  signed_on: Day
  /** The person who signed for the debtor. */
  signatory?: string
}

export type BillItemKind = 'INTEREST' | 'PARTNER_MARK_UP' | 'ADJUSTMENT' | 'LAPSED' | 'ROUNDING'

/**
 * A printed line of a bill, in cents; negative for a credit. With `run`, the amount is the run's
 * principal × rate × days, rounded half to even.
 */
export type BillItem = {
  kind: BillItemKind
  component: 'INTEREST' | 'PARTNER_MARK_UP'
  amount: bigint
  /** First and last day, both inclusive. */
  run?: { from: Day; to: Day; days: number; principal: bigint; rate_ppm: number }
  reason?: (typeof BILL_LINE_REASONS)[number]
  corrects?: string
  /** For rounding: all interest to the end of the period, and the part billed before. */
  to_date?: { exact_microcents: bigint; billed_before: bigint }
}

export type BillLine = {
  loan_reference: string
  /** Given when a payer pays for several borrowers. */
  borrower?: string
  items: BillItem[]
}

/** How a bill's credited interest is used, in cents, after offsetting its other lines. */
export type CreditUse = {
  /** Interest billed earlier but not paid, which is no longer owed. */
  unpaid: bigint
  /** Pays open bills. */
  set_off: bigint
  /** One refund for each account that the money came from. */
  refunds: CreditRefund[]
  /** Deducted from the next bill, because the account that the money came from is unknown. */
  kept: bigint
}

/** A refund in cents to an account, and the day it is sent. */
export type CreditRefund = { amount: bigint; on: Day; iban: string }

/** An interest bill, or a credit note if its total is negative. */
export type BillInput = DocumentHead & {
  number: string
  payer: Party
  currency: string
  /** First and last day billed. */
  period: { from: Day; to: Day }
  lines: BillLine[]
  total: bigint
  /** Paid before the bill was issued. If negative, the credit that settles earlier bills. */
  prepaid: bigint
  /** Present if lines credit interest. */
  credit?: CreditUse
  due_on: Day
  payment: BillRoute
  amends?: AmendedBill
}

/** The bill that another one replaces. */
export type AmendedBill = { number: string; issued_on: Day }

export type StatementKind =
  | 'card_spending'
  | 'credited'
  | 'fee'
  | 'interest'
  | 'paid_out'
  | 'recovered'
  | 'refunded'
  | 'repaid'
  | 'returned'
  | 'set_off'
  | 'written_off'

/** Movements in order, in cents; positive amounts increase the balance owed. */
export type StatementInput = DocumentHead & {
  borrower: Party
  currency: string
  period: { from: Day; to: Day }
  opening: bigint
  closing: bigint
  /** Interest not yet billed and therefore not in the balances. */
  unbilled: bigint
  payoff: bigint
  lines: {
    on: Day
    loan_reference: string
    kind: StatementKind
    amount: bigint
    balance: bigint
  }[]
}

/** Card entries, oldest first, in cents; refunds are negative. */
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
    /** Set if it differs from the card's currency, which is why the purchase was declined. */
    currency?: string
  }[]
}
