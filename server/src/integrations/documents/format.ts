/** Formats names, rates, accounts and parties for documents. */
import { companyNumber } from '../../countries/index.ts'
import type { PaperDocument } from './blocks.ts'
import { COMMON } from './texts/common.ts'
import type { DocumentHead, Language, Party } from './types.ts'

const REGIONS = { fr: 'fr-FR', de: 'de-DE', es: 'es-ES', nl: 'nl-NL', en: 'en-IE' } as const

/** A rate in parts per million as a percentage: 500 in 'fr' is 0,05 %. */
export function formatRate(ppm: number, language: Language): string {
  const format = new Intl.NumberFormat(REGIONS[language], {
    style: 'percent',
    minimumFractionDigits: 2,
    maximumFractionDigits: 4,
  })
  return format.format(`${ppm}E-6` as `${number}`)
}

/** The nominal annual rate (365 days) of a simple daily rate: 500 is 18.25 %. */
export function formatAnnualRate(ppm: number, language: Language): string {
  return formatRate(ppm * 365, language)
}

const ORDINALS: Readonly<Record<Language, (n: number) => string>> = {
  fr: n => (n === 1 ? '1er' : `${n}e`),
  de: n => `${n}.`,
  es: n => (n === 1 || n === 3 ? `${n}.er` : `${n}.º`),
  nl: n => `${n}e`,
  en: n => `${n}${ENGLISH_SUFFIXES[ENGLISH_ORDINALS.select(n)] ?? 'th'}`,
}
const ENGLISH_ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' })
const ENGLISH_SUFFIXES: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }

/** A small ordinal before a noun: 3 gives 3e, 3., 3.er, 3e, 3rd. */
export function ordinal(n: number, language: Language): string {
  return ORDINALS[language](n)
}

/** A number with its noun in singular or plural: count(1, 'day', 'days'). */
export function count(n: number, one: string, many: string): string {
  return `${n}\u00A0${n === 1 ? one : many}`
}

export function list(items: (string | number)[], language: Language): string {
  const format = new Intl.ListFormat(REGIONS[language], { type: 'conjunction' })
  return format.format(items.map(String))
}

/** Text from a source file on one line; in French, with non-breaking spaces at punctuation. */
export function typeset(text: string, language: Language): string {
  const line = text.replace(/[ \n]+/g, ' ').trim()
  return language === 'fr'
    ? line.replace(/ ([:;?!»])/g, '\u00A0$1').replace(/« /g, '«\u00A0')
    : line
}

/** An IBAN in groups of four (ISO 13616), with non-breaking spaces; other texts unchanged. */
export function formatIban(iban: string): string {
  if (!/^[A-Z]{2}\d{2}/.test(iban)) return iban
  return iban.replace(/\s/g, '').replace(/(.{4})(?=.)/g, '$1\u00A0')
}

/** The country's name, or its code if the language has no name for it. */
export function countryName(code: string, language: Language): string {
  const names = new Intl.DisplayNames([REGIONS[language]], { type: 'region', fallback: 'code' })
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code
}

function formatIdentifier(party: Party, language: Language): string {
  const { identifier, identifier_type } = party
  if (identifier_type === 'vat_number') return `${COMMON[language].vat_number} ${identifier}`
  const printed = companyNumber(identifier_type)?.printed
  const label = typeof printed === 'string' ? printed : printed?.[language]
  return label ? `${label} ${identifier}` : identifier
}

export function partyLines(party: Party, language: Language): string[] {
  const country = countryName(party.country, language)
  return [party.name, ...party.address, country, formatIdentifier(party, language)]
}

export function lenderLines(head: DocumentHead): string[] {
  const { lender, language } = head
  const country = countryName(lender.country, language)
  return [lender.name, ...lender.address, country, lender.registration]
}

/** The frame of every document: letterhead, footer and page numbers. */
export function paper(head: DocumentHead, title: string): Omit<PaperDocument, 'blocks'> {
  const { lender, language } = head
  const country = countryName(lender.country, language)
  return {
    id: head.document_id,
    title,
    language,
    issued_on: head.issued_on,
    letterhead: { name: lender.name, lines: [...lender.address, country, lender.email] },
    imprint: `${lender.name} · ${lender.registration}`,
    page_label: COMMON[language].page_label,
  }
}
