/** What we ask of a bank, whichever it is: orders out, news in. */
import type { Day } from '../../platform/kit/dates.ts'

/** One order. `payment_id` is the bank's idempotency key: the same order twice is one. */
export interface PaymentOrder {
  readonly payment_id: string
  /** Null when it is the lender's own. */
  readonly partner_id: string | null
  /** SCT OUT pays somebody, SCT IN debits a wallet; SDD IN collects under a mandate. */
  readonly kind: 'SCT' | 'SDD'
  readonly direction: 'OUT' | 'IN'
  /** Cents. */
  readonly amount: bigint
  readonly currency: string
  /** `iban` is the number of a wallet where the account is one. */
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

/** `unknown` is asked again with the same order, never taken as failure. */
export type OrderOutcome =
  | { readonly state: 'accepted' }
  | { readonly state: 'refused'; readonly reason_code: string }
  | { readonly state: 'unknown' }

/** A wallet to be opened. `wallet_id` is the bank's idempotency key. */
export interface WalletOrder {
  readonly wallet_id: string
  readonly partner_id: string
  readonly holder_name: string
}

export type WalletOutcome =
  | { readonly state: 'opened'; readonly account_number: string }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'unknown' }

/** A fact the bank tells us; the same `bank_reference` is the same fact. */
export interface BankNews {
  readonly bank_reference: string
  readonly kind: /** It has left the bank and is on its way. */
    | 'IN_TRANSIT'
    | 'SETTLED'
    | 'REJECTED'
    | 'CANCELED'
    | 'RETURNED'
    | 'REFUNDED'
    | 'REVERSED'
    | 'TRANSFER_IN'
  /** Null for a transfer that somebody sent us. */
  readonly payment_id: string | null
  readonly amount: bigint
  readonly value_on: Day
  readonly reason_code: string | null
  /** As the bank gave it; for TRANSFER_IN a `Transfer`. */
  readonly raw: Record<string, unknown>
}

export interface Transfer {
  readonly to_iban: string
  readonly from_iban: string | null
  readonly from_name: string | null
  readonly reference: string | null
}

/** Where a bank adapter hands over its news: stored raw first, booked later. */
export type BankInbox = (news: readonly BankNews[]) => Promise<void>

export type PayeeCheck = 'match' | 'no_match' | 'refused'

export interface Bank {
  submit(order: PaymentOrder): Promise<OrderOutcome>
  /** Takes an order back while the bank still can. */
  recall(payment_id: string): Promise<'recalled' | 'too_late' | 'unknown'>
  /** The day a payout to `iban` can settle on, asked for on `asked` and instructed at `now`. */
  payoutDay(iban: string, asked: Day, now: Date, cutOff: string): Day
  /** Does the account belong to the holder of that name or company number? Banks check both. */
  verifyPayee(
    payee: { iban: string; name: string } | { iban: string; identifier: string },
  ): Promise<PayeeCheck>
  /** The lender's virtual account of that number (from 1): a valid IBAN, each number another. */
  ownAccount(number: number): string
  /** Opens an account that the bank keeps for a borrower, outside of our books. */
  openWallet(order: WalletOrder): Promise<WalletOutcome>
  /** Cents that wallets hold, by their numbers; what the bank does not tell is missing. */
  walletBalances(account_numbers: readonly string[]): Promise<ReadonlyMap<string, bigint>>
  /**
   * Lets the bank do what falls due up to a business day; answers how much it did and told of. A
   * real bank does so by itself.
   */
  tick(today: Day): Promise<number>
}
