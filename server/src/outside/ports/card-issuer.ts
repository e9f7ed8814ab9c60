/** What we ask of a card processor, whichever it is: orders out, answers in real time, news in. */
import type { CardConstraints } from '@headroom/contract'
import type { Day } from '../../platform/kit/dates.ts'
import type { InvalidParam } from '../../platform/kit/problem.ts'

export type CardStatus = 'inactive' | 'active' | 'canceled'

/** Who is to hold a card, as far as we know. */
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
    /** ISO 3166, two letters. */
    readonly country: string
  }
}

/** A card to be issued; `card_id` is the processor's idempotency key: the same twice is one. */
export interface CardToIssue {
  readonly card_id: string
  readonly partner_id: string
  readonly holder: CardHolder
  readonly constraints: CardConstraints
}

/** What of a card may be known to us: never its number, never its code. */
export interface IssuedCard {
  readonly provider_account_id: string
  readonly provider_card_id: string
  readonly brand: string
  readonly last4: string
}

export interface StatusOrder {
  /** Its idempotency key. */
  readonly order_id: string
  readonly card_id: string
  readonly provider_card_id: string
  readonly status: CardStatus
}

/** `unknown` is asked again with the same order, never taken as failure; `why` is for our log. */
export type IssuerOutcome<Done> =
  | { readonly state: 'done'; readonly done: Done }
  | { readonly state: 'refused'; readonly reason: string }
  | { readonly state: 'unknown'; readonly why: string }

export interface EphemeralKey {
  readonly ephemeral_key_secret: string
  readonly publishable_key: string
}

export interface CardIssuer {
  readonly processor: 'sandbox' | 'stripe'
  /** Where it is paid what cards have spent. */
  readonly settlement_account: { readonly iban: string; readonly name: string }
  /** What stands in the way of issuing such a card, by the names of our own fields. */
  missing(card: CardToIssue): InvalidParam[]
  issue(card: CardToIssue): Promise<IssuerOutcome<IssuedCard>>
  /** Answers the status that it has now. */
  setStatus(order: StatusOrder): Promise<IssuerOutcome<CardStatus>>
  readStatus(provider_card_id: string): Promise<IssuerOutcome<CardStatus>>
  /** A key by which its holder reads the card at the processor; the nonce is the holder's. */
  ephemeralKey(provider_card_id: string, nonce: string): Promise<IssuerOutcome<EphemeralKey>>
  /** What a call of the processor holds; null when it is not proven to be the processor's. */
  open(payload: Buffer, signature: string): OpenedEvent | null
  /** What one of its events says, as it came; events of other kinds say nothing. */
  read(event: unknown): ToldNews[]
}

/** Where and for what a card is used. Amounts of the merchant are in its own currency. */
export interface Purchase {
  readonly merchant_name: string
  readonly merchant_category: string
  readonly merchant_amount: bigint | null
  readonly merchant_currency: string | null
}

/** Asked while the merchant waits. */
export interface AuthorizationAsk {
  readonly provider_card_id: string
  /** The processor's word for it; asked again for more, it is the same. */
  readonly authorization_ref: string
  /** Cents that are held already, by an earlier answer, and cents to be held on top. */
  readonly held_before: bigint
  readonly amount: bigint
  readonly currency: string
  /** The merchant takes less, too. */
  readonly allow_partial: boolean
  readonly purchase: Purchase
}

/** `closed` is cleared as far as it will be; `reversed` and `declined` hold nothing. */
export type AuthorizationState = 'open' | 'closed' | 'reversed' | 'declined'

/** How an authorisation stands; of two news that of the higher rank counts, whichever came last. */
export interface AuthorizationNews {
  readonly kind: 'AUTHORIZATION'
  readonly provider_card_id: string
  readonly authorization_ref: string
  readonly state: AuthorizationState
  /** Cents held, what is named in `cleared` already taken off. */
  readonly amount: bigint
  readonly currency: string
  readonly rank: bigint
  readonly cleared: readonly string[]
  readonly at: Date
  readonly purchase: Purchase
}

/** Money that moved; `transaction_ref` is the same for the same movement. Cents above zero. */
export interface TransactionNews {
  readonly kind: 'TRANSACTION'
  readonly provider_card_id: string
  readonly transaction_type: 'payment' | 'refund' | 'dispute' | 'dispute_reversal'
  readonly transaction_ref: string
  readonly authorization_ref: string | null
  /** What a dispute is about, in the processor's words. */
  readonly disputed_ref: string | null
  readonly amount: bigint
  readonly currency: string
  readonly at: Date
  readonly purchase: Purchase
}

/** A card's status was set, by whomever, at some time: only `canceled` is sure to be so still. */
export interface CardStatusNews {
  readonly kind: 'CARD'
  readonly provider_card_id: string
  readonly status: CardStatus
}

export type CardNews = AuthorizationNews | TransactionNews | CardStatusNews

/** Money of a dispute, told without the card: that of what is disputed. */
export interface DisputeNews
  extends Pick<TransactionNews, 'transaction_ref' | 'amount' | 'currency' | 'at'> {
  readonly kind: 'DISPUTE'
  readonly transaction_type: 'dispute' | 'dispute_reversal'
  readonly disputed_ref: string
}

/** What an event of the processor says. */
export type ToldNews = CardNews | DisputeNews

/** A call of the processor: an event to be kept, or asked while the merchant waits. */
export interface OpenedEvent {
  readonly event_ref: string
  readonly kind: string
  readonly raw: object
  /** What cannot be read is refused. */
  readonly ask: AuthorizationAsk | 'unreadable' | null
  /** What the processor wants to see beside an answer. */
  readonly answer_headers: Record<string, string>
}
