/** What the general terms are written from, the same for every language. */
import type { ProductTerms } from '../../types.ts'
import type { Law } from '../law.ts'

export type TermsSection = { heading: string; paragraphs: string[] }

/** Facts already written out in the language of the text, and the product's own numbers. */
export type TermsFacts = {
  version: string
  /** The languages in which this version can be read. */
  languages: string
  lender: { name: string; address: string; registration: string; email: string }
  creditor_identifier: string
  country: string
  product: ProductTerms
  rate: string
  annual_rate: string
  /** Interest on a round amount, worked out by the formula. */
  example: { amount: string; days: number; interest: string }
  /** The due day of bills as an ordinal: 3rd. */
  bill_due_day: string
  reminder_days: string
  /** The first day of lateness with consequences. */
  suspension_day: number
  law: Law
  vat_article: string
}

/** The terms in one language. Line breaks inside a paragraph mean nothing. */
export type TermsText = {
  title: string
  sections: (facts: TermsFacts) => TermsSection[]
}
