/** The data that a direct debit requires, and which of it is missing. Pure. */
import type { Representative } from '../directors.ts'

export interface DirectDebitData extends Representative {
  iban: string | null
  bic: string | null
  business_email: string | null
}

export type CompleteDirectDebitData = { [K in keyof DirectDebitData]: string }

/** The field names in the body of a new repayment method. */
const NAMES: Record<keyof DirectDebitData, string> = {
  iban: 'from_account.account_number',
  bic: 'from_account.bank_identifier',
  business_email: 'business_email',
  birth_date: 'representative.birth_date',
  country_of_residence: 'representative.country_of_residence',
  nationality: 'representative.nationality',
}

/** Names of the missing fields, in a fixed order. */
export function missingForDirectDebit(data: DirectDebitData): string[] {
  const fields = Object.keys(NAMES) as (keyof DirectDebitData)[]
  return fields.filter(field => !data[field]).map(field => NAMES[field])
}

export function isComplete(data: DirectDebitData): data is CompleteDirectDebitData {
  return missingForDirectDebit(data).length === 0
}
