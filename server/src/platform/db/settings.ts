/** What a running deployment is: read once from the database, the same for every transaction. */

export interface Lender {
  readonly name: string
  readonly registration: string
  readonly address_line: string
  /** Where questions about documents and personal data go. */
  readonly email: string
  readonly creditor_identifier: string
  /** Where borrowers' transfers arrive. */
  readonly collection_iban: string
  readonly collection_bic: string
  /** Where payouts leave from. */
  readonly funding_iban: string
  readonly funding_bic: string
  /** The lender's own accounts at other banks. Only transfers from these are its capital. */
  readonly capital_ibans: readonly string[]
}

export interface Settings {
  readonly mode: 'sandbox' | 'live'
  readonly base_url: string
  /** 32 random bytes in hexadecimal: signs document addresses, encrypts webhook secrets. */
  readonly secret: string
  readonly lender: Lender
  readonly allow_private_webhooks: boolean
}
