/** The inputs of the general terms, the same for every language. */
import type { ProductTerms } from '../../types.ts'
import type { Law } from '../law.ts'

export type TermsSection = { heading: string; paragraphs: string[] }

/** Facts already formatted in the text's language, and the product's own figures. */
export type TermsFacts = {
  version: string
  /** The languages in which the country's borrowers can accept the terms. */
  languages: string
  lender: { name: string; address: string; registration: string; email: string }
  creditor_identifier: string
  country: string
  product: ProductTerms
  rate: string
  annual_rate: string
  /** Interest on a round amount, computed by the formula. */
  example: { amount: string; days: number; interest: string }
  /** The due day of bills as an ordinal: 3rd. */
  bill_due_day: string
  reminder_days: string
  /** The number of days past due at which drawing is suspended. */
  suspension_day: number
  law: Law
  vat_article: string
}

/** The terms in one language. Line breaks within a paragraph are ignored. */
export type TermsText = {
  title: string
  sections: (facts: TermsFacts) => TermsSection[]
}
