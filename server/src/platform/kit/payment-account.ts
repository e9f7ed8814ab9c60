/** Accounts as payments keep them and answers show them. */

/** An account as it stands in a payment: the record's light account and its holder's name. */
export type PaymentAccount = {
  account_number: string
  account_number_type: 'account_number' | 'iban' | 'internal_id'
  bank_identifier: string
  bank_identifier_type: 'bic' | 'name' | 'routing_number' | 'undefined'
  name?: string
}

/** What a lender's settings say of its accounts. */
interface LenderAccounts {
  readonly name: string
  readonly funding_iban: string
  readonly funding_bic: string
  readonly collection_iban: string
  readonly collection_bic: string
}

/** An IBAN with its BIC in the record's form. */
export function ibanAccount(iban: string, bic: string | null, name?: string): PaymentAccount {
  return {
    account_number: iban,
    account_number_type: 'iban',
    bank_identifier: bic ?? '',
    bank_identifier_type: bic ? 'bic' : 'undefined',
    ...(name === undefined ? {} : { name }),
  }
}

/** Where payouts leave from. */
export function fundingAccount(lender: LenderAccounts): PaymentAccount {
  return ibanAccount(lender.funding_iban, lender.funding_bic, lender.name)
}

/** Where repayments go, and where refunds leave from: a returned refund is attributed like them. */
export function collectionAccount(lender: LenderAccounts): PaymentAccount {
  return ibanAccount(lender.collection_iban, lender.collection_bic, lender.name)
}

/** The record's light account: without the holder's name. */
export function lightAccount(account: PaymentAccount) {
  const { account_number, account_number_type, bank_identifier, bank_identifier_type } = account
  return { account_number, account_number_type, bank_identifier, bank_identifier_type }
}
