/**
 * The interface to any card processor, which takes orders, requests authorizations and reports
 * news.
 */
import type { CardConstraints } from '@headroom/contract'
import type { Day } from '../../platform/kit/dates.ts'
import type { InvalidParam } from '../../platform/kit/problem.ts'

export type CardStatus = 'inactive' | 'active' | 'canceled'

/** The future cardholder, as far as known. */
export interface CardHolder {
  readonly first_name: string
  readonly last_name: string
  readonly email: string | null
  readonly phone_number: string | null
  readonly birth_date: Day | null
  readonly company_name: string
  readonly address: {
    readonly line1: string | null
    readonly line2: string | null
    readonly city: string | null
    readonly postal_code: string | null
    /** ISO 3166-1 alpha-2. */
    readonly country: string
  }
}

/** A card to issue. `card_id` is the processor's idempotency key. */
export interface CardToIssue {
  readonly card_id: string
  readonly partner_id: string
  readonly holder: CardHolder
  readonly constraints: CardConstraints
}

/** The card data we may store: never its number or security code. */
export interface IssuedCard {
  readonly provider_account_id: string
  readonly provider_card_id: string
  readonly brand: string
  readonly last4: string
}

export interface StatusOrder {
  /** The processor's idempotency key. */
  readonly order_id: string
  readonly card_id: string
  readonly provider_card_id: string
  readonly status: CardStatus
}

/** `unknown` is retried with the same order, never treated as failure; `why` is for the log. */
export type IssuerOutcome<Done> =
  | { readonly state: 'done'; readonly done: Done }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'unknown'; readonly why: string }

export interface EphemeralKey {
  readonly ephemeral_key_secret: string
  readonly publishable_key: string
}

export interface CardIssuer {
  readonly processor: 'sandbox' | 'stripe' | 'none'
  /** The account that receives payment for card spending; null if no cards are issued. */
  readonly settlement_account: { readonly iban: string; readonly name: string } | null
  /** What prevents the card from being issued, by our own field names. */
  missing(card: CardToIssue): InvalidParam[]
  issue(card: CardToIssue): Promise<IssuerOutcome<IssuedCard>>
  setStatus(order: StatusOrder): Promise<IssuerOutcome<CardStatus>>
  readStatus(provider_card_id: string): Promise<IssuerOutcome<CardStatus>>
  /**
   * A key with which the cardholder's browser, identified by its nonce, reads the card at the
   * processor.
   */
  ephemeralKey(provider_card_id: string, nonce: string): Promise<IssuerOutcome<EphemeralKey>>
  /** The event in a webhook call; null unless the signature proves that the processor sent it. */
  open(payload: Buffer, signature: string): OpenedEvent | null
  /** The news in a raw event; empty for the kinds of events that we do not use. */
  read(event: unknown): IssuerEvent[]
}

/** A card purchase. `merchant_amount` is in the merchant's currency. */
export interface Purchase {
  readonly merchant_name: string
  readonly merchant_category: string
  readonly merchant_amount: bigint | null
  readonly merchant_currency: string | null
}

export interface AuthorizationRequest {
  readonly provider_card_id: string
  /** The processor's reference, the same for requests to increase the amount. */
  readonly authorization_ref: string
  /** In cents, approved by earlier answers. */
  readonly held_before: bigint
  /** In cents, requested in addition. */
  readonly amount: bigint
  readonly currency: string
  /** Whether the merchant accepts a lower amount. */
  readonly allow_partial: boolean
  readonly purchase: Purchase
}

/**
 * `closed`: no further clearings, although the last may not have been reported yet. `reversed` and
 * `declined` hold nothing.
 */
export type AuthorizationState = 'open' | 'closed' | 'reversed' | 'declined'

/** The state of an authorization. The news with the highest `rank` counts. */
export interface AuthorizationNews {
  readonly kind: 'AUTHORIZATION'
  readonly provider_card_id: string
  readonly authorization_ref: string
  readonly state: AuthorizationState
  /** In cents, excluding the transactions in `cleared`. */
  readonly amount: bigint
  readonly currency: string
  readonly rank: bigint
  readonly cleared: readonly string[]
  readonly at: Date
  readonly purchase: Purchase
}

/** A movement of money, identified by `transaction_ref`. `amount` is in cents, above zero. */
export interface TransactionNews {
  readonly kind: 'TRANSACTION'
  readonly provider_card_id: string
  readonly transaction_type: 'payment' | 'refund' | 'dispute' | 'dispute_reversal'
  readonly transaction_ref: string
  readonly authorization_ref: string | null
  /** The processor's reference to the disputed transaction; null except for disputes. */
  readonly disputed_ref: string | null
  readonly amount: bigint
  readonly currency: string
  readonly at: Date
  readonly purchase: Purchase
}

/**
 * The status of a card when the event was sent. It may have changed since, unless it is `canceled`.
 */
export interface CardStatusNews {
  readonly kind: 'CARD'
  readonly provider_card_id: string
  readonly status: CardStatus
}

export type CardNews = AuthorizationNews | TransactionNews | CardStatusNews

/** Money moved by a dispute. Names no card: the card is that of the disputed transaction. */
export interface DisputeNews
  extends Pick<TransactionNews, 'transaction_ref' | 'amount' | 'currency' | 'at'> {
  readonly kind: 'DISPUTE'
  readonly transaction_type: 'dispute' | 'dispute_reversal'
  readonly disputed_ref: string
}

export type IssuerEvent = CardNews | DisputeNews

/** A call by the processor: an event to store, or a request to answer while the merchant waits. */
export interface OpenedEvent {
  readonly event_ref: string
  readonly kind: string
  readonly raw: object
  /** An unreadable request is declined. */
  readonly authorization_request: AuthorizationRequest | 'unreadable' | null
  /** Headers that the processor requires on an answer. */
  readonly answer_headers: Record<string, string>
}
