/** Accounts as payments and answers show them. */
import type { Lender } from '../db/settings.ts'
import type { PaymentAccount } from '../payments/types.ts'

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

export function fundingAccount(lender: Lender): PaymentAccount {
  return ibanAccount(lender.funding_iban, lender.funding_bic, lender.name)
}

export function collectionAccount(lender: Lender): PaymentAccount {
  return ibanAccount(lender.collection_iban, lender.collection_bic, lender.name)
}

/** The record's light account: without the holder's name. */
export function lightAccount(account: PaymentAccount) {
  const { account_number, account_number_type, bank_identifier, bank_identifier_type } = account
  return { account_number, account_number_type, bank_identifier, bank_identifier_type }
}
