/** The general terms of the credit line, by country and language. */
import { COUNTRY } from '../../countries/index.ts'
import { accrue, formatMoney, roundHalfEven } from '../../platform/kit/money.ts'
import type { Block, PaperDocument } from './blocks.ts'
import {
  countryName,
  formatAnnualRate,
  formatRate,
  list,
  ordinal,
  paper,
  typeset,
} from './format.ts'
import { lawOf, vatArticle } from './texts/law.ts'
import type { TermsFacts, TermsSection } from './texts/terms/facts.ts'
import { TEXTS } from './texts/terms/index.ts'
import type { Country, DocumentHead, Language, Lender, ProductTerms } from './types.ts'

/** Change it whenever the texts change, so that an acceptance identifies the accepted text. */
export const TERMS_VERSION = '2026-07'

/** The round amount of the worked example: 10,000.00. */
const EXAMPLE_AMOUNT = 1_000_000n
const EXAMPLE_DAYS = 30

export type TermsInput = {
  country: Country
  language: Language
  lender: Lender
  product: ProductTerms
}

export type TermsOfService = { title: string; version: string; sections: TermsSection[] }

/** The languages in which a country's borrowers can accept the terms; the first is the default. */
export function termsLanguages(country: Country): readonly [Language, ...Language[]] {
  return COUNTRY[country].languages
}

/**
 * The terms as text, with all figures from `product`. Any language can be rendered for reading;
 * `termsLanguages` are those for acceptance.
 */
export function termsOfService(input: TermsInput): TermsOfService {
  const text = TEXTS[input.language]
  const sections = text.sections(factsOf(input)).map(section => ({
    heading: section.heading,
    paragraphs: section.paragraphs.map(paragraph => typeset(paragraph, input.language)),
  }))
  return { title: text.title, version: TERMS_VERSION, sections }
}

export function termsDocument(input: TermsInput & DocumentHead): PaperDocument {
  const terms = termsOfService(input)
  const country = countryName(input.country, input.language)
  const subtitle = `${input.product.name} · ${country} · ${terms.version}`
  const blocks: Block[] = [{ kind: 'title', text: terms.title, subtitle }]
  terms.sections.forEach((section, i) => {
    blocks.push({ kind: 'heading', text: `${i + 1}. ${section.heading}` })
    for (const text of section.paragraphs) blocks.push({ kind: 'paragraph', text })
  })
  return { ...paper(input, terms.title), blocks }
}

function factsOf({ country, language, lender, product }: TermsInput): TermsFacts {
  const days = Math.min(EXAMPLE_DAYS, product.days_max)
  const interest = roundHalfEven(accrue(EXAMPLE_AMOUNT, product.rate_ppm, days))
  const place = [...lender.address, countryName(lender.country, language)].join(', ')
  return {
    version: TERMS_VERSION,
    languages: list(languageNames(termsLanguages(country), language), language),
    lender: { ...lender, address: place },
    creditor_identifier: lender.creditor_identifier,
    country: countryName(country, language),
    product,
    rate: formatRate(product.rate_ppm, language),
    annual_rate: formatAnnualRate(product.rate_ppm, language),
    example: {
      amount: formatMoney(EXAMPLE_AMOUNT, product.currency, language),
      days,
      interest: formatMoney(interest, product.currency, language),
    },
    bill_due_day: ordinal(product.bill_due_banking_day, language),
    reminder_days: list(product.reminder_days, language),
    suspension_day: product.grace_days + 1,
    law: lawOf(country, language),
    vat_article: vatArticle(country, language),
  }
}

function languageNames(languages: readonly Language[], language: Language): string[] {
  const names = new Intl.DisplayNames([language], { type: 'language' })
  return languages.map(code => names.of(code) ?? code)
}
