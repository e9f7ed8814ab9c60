/** The general terms: every language in every country, with figures from the product. */
import { COUNTRIES, LANGUAGES } from '@headroom/contract'
import { describe, expect, test } from 'vitest'
import { COUNTRY } from '../../src/countries/index.ts'
import {
  type Country,
  drawPdf,
  type Language,
  type ProductTerms,
  TERMS_VERSION,
  termsDocument,
  termsLanguages,
  termsOfService,
} from '../../src/integrations/documents/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { LENDER, PAIRS, PRODUCT, plain, readPdf } from './samples.ts'

function textOf(country: Country, language: Language, product: ProductTerms = PRODUCT): string {
  const terms = termsOfService({ country, language, lender: LENDER, product })
  return plain(terms.sections.flatMap(s => [s.heading, ...s.paragraphs]).join(' '))
}

test('each country has its own languages and English', () => {
  for (const country of COUNTRIES) expect(termsLanguages(country).at(-1)).toBe('en')
  expect(termsLanguages('FR')).toEqual(['fr', 'en'])
  expect(termsLanguages('BE')).toEqual(['nl', 'fr', 'de', 'en'])
})

test.each(PAIRS)('$language in $country names lender, law and authority', pair => {
  const text = textOf(pair.country, pair.language)
  expect(text).toContain(LENDER.name)
  expect(text).toContain(LENDER.registration)
  expect(text).toContain(LENDER.creditor_identifier)
  expect(text).toContain(LENDER.email)
  expect(text).toContain(TERMS_VERSION)
  expect(text).toContain(COUNTRY[pair.country].law.authority)
  expect(text).not.toMatch(/\b(undefined|null|NaN)\b|\$\{/)
})

test.each(LANGUAGES)('%s has every section, none of them empty', language => {
  const { sections } = termsOfService({ country: 'BE', language, lender: LENDER, product: PRODUCT })
  expect(sections).toHaveLength(16)
  expect(new Set(sections.map(s => s.heading)).size).toBe(16)
  for (const section of sections) {
    expect(section.paragraphs.length).toBeGreaterThan(0)
    for (const paragraph of section.paragraphs) expect(paragraph.length).toBeGreaterThan(60)
  }
})

test('law, courts and tax article are those of the country', () => {
  expect(textOf('FR', 'fr')).toContain('soumis au droit français. Les tribunaux siégeant à Paris')
  expect(textOf('DE', 'de')).toContain('gilt deutsches Recht. Ausschließlicher Gerichtsstand')
  expect(textOf('ES', 'es')).toContain('se someten al Derecho español')
  expect(textOf('NL', 'nl')).toContain('is Nederlands recht van toepassing')
  expect(textOf('BE', 'fr')).toContain('soumis au droit belge. Les tribunaux siégeant à Bruxelles')
  expect(textOf('BE', 'en')).toContain('governed by Belgian law. The courts of Brussels')
  expect(textOf('FR', 'en')).toContain('art. 261 C')
  expect(textOf('DE', 'en')).toContain('§ 4 Nr. 8')
})

describe('figures come from the product', () => {
  const product: ProductTerms = {
    ...PRODUCT,
    name: 'Anders 77',
    rate_ppm: 321,
    days_max: 23,
    line_days: 181,
    cut_off: '16:35',
    change_notice_days: 6,
    bill_due_banking_day: 8,
    prenotification_days: 2,
    grace_days: 11,
    reminder_days: [13, 17, 19],
    case_days: 41,
    bill_grace_days: 9,
    suspense_days: 37,
    notice_days: 71,
  }
  const numbers = [
    'Anders 77',
    '23',
    '181',
    '16:35',
    '6',
    '8',
    '2',
    '11',
    '12',
    '41',
    '9',
    '37',
    '71',
  ]

  test.each(LANGUAGES)('in %s', language => {
    const text = textOf('NL', language, product)
    for (const number of [...numbers, '13', '17', '19']) {
      expect(text).toMatch(new RegExp(`(?<![\\d.,])${number}(?!\\d|[.,]\\d)`))
    }
    // 321 ppm a day; 321 × 365 ppm a year; 10,000.00 for 23 days costs 73.83.
    expect(text).toMatch(/0[.,]0321\s?%/)
    expect(text).toMatch(/11[.,]7165\s?%/)
    expect(text).toMatch(/73[.,]83/)
    expect(text).not.toMatch(/0[.,]05\s?%|\b45\b/)
  })
})

test.each(LANGUAGES)('%s: wallet and invoice financing differ', language => {
  const invoice = textOf('FR', language, {
    ...PRODUCT,
    product_type: 'INVOICE_BASED_FINANCING',
    days_max: 120,
  })
  expect(invoice).toMatch(/\b120\b/)
  expect(invoice).not.toMatch(/\b45\b/)
  expect(invoice).not.toBe(textOf('FR', language))
})

test.each(PAIRS)('$language in $country is rendered in full', async ({ country, language }) => {
  const head = { document_id: 'doc-1', issued_on: day('2026-07-01'), language, lender: LENDER }
  const paper = termsDocument({ ...head, country, product: PRODUCT })
  const read = await readPdf(await drawPdf(LENDER_ID, paper))
  const terms = termsOfService({ country, language, lender: LENDER, product: PRODUCT })
  expect(read.title).toBe(terms.title)
  expect(read.language).toBe(language)
  for (const section of terms.sections) {
    expect(read.text).toContain(plain(section.heading))
    for (const paragraph of section.paragraphs) {
      // A paragraph that spans pages has the page footer and header in it.
      expect(read.text).toContain(plain(paragraph).slice(0, 40))
    }
  }
})
