/** A deployment's settings: read once at startup, the same for every transaction. */

export interface Lender {
  readonly name: string
  readonly registration: string
  readonly address_line: string
  /** The contact for questions about documents and personal data. */
  readonly email: string
  readonly creditor_identifier: string
  /** The account that receives borrowers' transfers. */
  readonly collection_iban: string
  readonly collection_bic: string
  /** The account that payouts are sent from. */
  readonly funding_iban: string
  readonly funding_bic: string
  /** The lender's own accounts at other banks. Only transfers from these count as capital. */
  readonly capital_ibans: readonly string[]
}

/** One of the lender's bank accounts. The IBAN is in canonical form. */
export interface OwnAccount {
  readonly id: string
  readonly iban: string
}

export interface Settings {
  readonly mode: 'sandbox' | 'live'
  readonly base_url: string
  /** 32 random bytes in hexadecimal, for signatures and for the encryption of stored secrets. */
  readonly secret: string
  readonly lender: Lender
  /** The lender's bank accounts by role. */
  readonly bank_accounts: Readonly<Record<'COLLECTION' | 'FUNDING', OwnAccount>>
  readonly allow_private_webhooks: boolean
}
