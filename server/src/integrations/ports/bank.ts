/** The interface to any bank, which takes orders and reports news. */
import type { Day } from '../../platform/kit/dates.ts'

/** The lender's accounts by what they are used for. One account can have both roles. */
export type AccountRole = 'COLLECTION' | 'FUNDING'

/** A payment order. `payment_id` is the bank's idempotency key. */
export interface PaymentOrder {
  readonly payment_id: string
  /** `LENDER_ID` for the lender's own payments. */
  readonly partner_id: string
  /** SCT OUT is a transfer, SCT IN debits a wallet, SDD IN collects under a mandate. */
  readonly kind: 'SCT' | 'SDD'
  readonly direction: 'OUT' | 'IN'
  /** Our account that is debited or credited. Absent in orders from before we had several. */
  readonly account?: AccountRole
  /** In cents. */
  readonly amount: bigint
  readonly currency: string
  /** For a wallet, `iban` is its account number. */
  readonly counterparty: { readonly iban: string; readonly bic: string; readonly name: string }
  readonly references: readonly string[]
  readonly requested_on: Day
  readonly loan_ids: readonly string[]
  readonly mandate: {
    readonly reference: string
    readonly scheme: 'CORE' | 'B2B'
    readonly signed_on: Day
    readonly creditor_identifier: string
  } | null
}

/** Our account that an order moves. */
export function accountOf({ account, direction }: PaymentOrder): AccountRole {
  return account ?? (direction === 'OUT' ? 'FUNDING' : 'COLLECTION')
}

/**
 * `unknown` is retried with the same order and never treated as a failure. `conflict`: the bank has
 * another order under that id. It is retried too, with an alert, because the bank may execute that
 * other order.
 */
export type OrderOutcome =
  | { readonly state: 'accepted' }
  | { readonly state: 'refused'; readonly reason_code: string }
  | { readonly state: 'conflict' }
  | { readonly state: 'unknown' }

/** A wallet to open. `wallet_id` is the bank's idempotency key. */
export interface WalletOrder {
  readonly wallet_id: string
  readonly partner_id: string
  readonly holder_name: string
}

export type WalletOutcome =
  | { readonly state: 'opened'; readonly account_number: string }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'unknown' }

export const BANK_NEWS_KINDS = [
  /** The payment has left the bank but not yet arrived. */
  'IN_TRANSIT',
  'SETTLED',
  'REJECTED',
  'CANCELED',
  'RETURNED',
  'REFUNDED',
  'REVERSED',
  /**
   * Also from an account of ours if the transfer has a borrower's reference, or if this bank does
   * not report that account, such as one of an earlier bank.
   */
  'TRANSFER_IN',
  /** A fee of the bank, or a fee that it gives back. */
  'CHARGE',
  'BANK_INTEREST',
  /** Cash between two of our accounts that this bank reports: it leaves one, or arrives. */
  'TRANSFER_OWN',
  /** Cash that the bank moved for another reason, which an operator has to find out. */
  'OTHER',
] as const

/** One item of news from the bank. The same account and `bank_reference` mean the same item. */
export interface BankNews {
  readonly bank_reference: string
  /** The IBAN of our account, in canonical form. A virtual account belongs to a physical one. */
  readonly account_iban: string
  readonly kind: (typeof BANK_NEWS_KINDS)[number]
  /** Null unless the news is about a payment. */
  readonly payment_id: string | null
  readonly amount: bigint
  /** Which way the amount moved on our account; null if it did not move. */
  readonly direction: 'OUT' | 'IN' | null
  /** The bank's booking date. Ledger cash is compared with balances by this day. */
  readonly booked_on: Day
  readonly value_on: Day
  readonly reason_code: string | null
  /** As reported by the bank; a `Transfer` for TRANSFER_IN. */
  readonly raw: Record<string, unknown>
}

/** An account statement, without its entries. Balances are booked ones, in cents. */
export interface BankStatement {
  readonly account_iban: string
  /** The bank's name of the statement. The same name means the same statement. */
  readonly statement_id: string
  /** Counts an account's statements without gaps. May begin again at 1 with a new year. */
  readonly sequence: number
  readonly from_on: Day
  readonly to_on: Day
  readonly opening: bigint
  readonly closing: bigint
  /** As reported by the bank, or a reference to the stored file. */
  readonly raw: Record<string, unknown>
}

/**
 * A booked entry of a statement. `bank_reference` names the news that the entry is about; a bank
 * that reports an entry by its statement only has a reference of account, statement and place.
 */
export type BankEntry = Omit<BankNews, 'account_iban' | 'direction'> & {
  /** From 1, without gaps. */
  readonly place: number
  readonly direction: 'OUT' | 'IN'
}

/**
 * The capital of a sandbox, which its bank receives with the first payment that leaves: a billion
 * euros, so that cash does not run short by accident. A deposit before that replaces it, so that
 * tests can create a shortage.
 */
export const SANDBOX_CAPITAL = 100_000_000_000n

export interface Transfer {
  readonly to_iban: string
  readonly from_iban: string | null
  readonly from_name: string | null
  readonly reference: string | null
}

/** Receives what a bank adapter reports. It is stored raw first and booked later. */
export interface BankInbox {
  news(news: readonly BankNews[]): Promise<void>
  /** Entries come in slices, because a statement can be larger than memory allows. */
  statement(statement: BankStatement, entries: AsyncIterable<readonly BankEntry[]>): Promise<void>
}

export type PayeeCheck = 'match' | 'no_match' | 'refused'

export interface Bank {
  /** The same order under the same id is a duplicate and gets the same answer. */
  submit(order: PaymentOrder): Promise<OrderOutcome>
  /** Recalls an order, unless it is too late. */
  recall(payment_id: string): Promise<'recalled' | 'too_late' | 'unknown'>
  /**
   * The earliest day from `requested` on that a payout to `iban` can settle, if it is instructed at
   * `now` and the bank takes a day's orders until `cutOff`.
   */
  payoutDay(iban: string, requested: Day, now: Date, cutOff: string): Day
  /** Compares the holder of the account with that name or company number. */
  verifyPayee(
    payee: { iban: string; name: string } | { iban: string; identifier: string },
  ): Promise<PayeeCheck>
  /** The IBAN of the lender's virtual account with this number, from 1; no two share an IBAN. */
  ownAccount(number: number): string
  /** Opens an account that the bank keeps for a borrower, outside our books. */
  openWallet(order: WalletOrder): Promise<WalletOutcome>
  /**
   * Balances of a partner's wallets in cents, by account number; those the bank does not report are
   * missing.
   */
  walletBalances(
    partner_id: string,
    account_numbers: readonly string[],
  ): Promise<ReadonlyMap<string, bigint>>
  /**
   * Makes the bank process everything due up to a business day; returns the number of changes and
   * news items. Real banks do this on their own.
   */
  tick(today: Day): Promise<number>
  /**
   * How many banking days may pass without a statement of an account, before operators are alerted.
   * Null for a bank whose statements are not read.
   */
  readonly statement_days_max: number | null
  /**
   * Exchanges files with the bank: delivers orders, and receives and reads what the bank answers.
   * Returns the number of files that it wrote, delivered, received or read. Only for banks that are
   * reached by files; called about every minute, by one process at a time.
   */
  exchange?(): Promise<number>
}
