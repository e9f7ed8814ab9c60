/** Accounts as stored in payments and returned in responses. */

/** An account as a payment stores it: the wire's light account plus its holder's name. */
export type PaymentAccount = {
  account_number: string
  account_number_type: 'account_number' | 'iban' | 'internal_id'
  bank_identifier: string
  bank_identifier_type: 'bic' | 'name' | 'routing_number' | 'undefined'
  name?: string
}

interface LenderAccounts {
  readonly name: string
  readonly funding_iban: string
  readonly funding_bic: string
  readonly collection_iban: string
  readonly collection_bic: string
}

/** The wire form of an IBAN and its BIC. */
export function ibanAccount(iban: string, bic: string | null, name?: string): PaymentAccount {
  return {
    account_number: iban,
    account_number_type: 'iban',
    bank_identifier: bic ?? '',
    bank_identifier_type: bic ? 'bic' : 'undefined',
    ...(name === undefined ? {} : { name }),
  }
}

/** The account that payouts are sent from. */
export function fundingAccount(lender: LenderAccounts): PaymentAccount {
  return ibanAccount(lender.funding_iban, lender.funding_bic, lender.name)
}

/**
 * The account that receives repayments. Refunds leave from it too, so that a returned refund is
 * matched like a repayment.
 */
export function collectionAccount(lender: LenderAccounts): PaymentAccount {
  return ibanAccount(lender.collection_iban, lender.collection_bic, lender.name)
}

/** The wire's light account: no holder name. */
export function lightAccount(account: PaymentAccount) {
  const { account_number, account_number_type, bank_identifier, bank_identifier_type } = account
  return { account_number, account_number_type, bank_identifier, bank_identifier_type }
}
