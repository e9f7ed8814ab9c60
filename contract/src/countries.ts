/**
 * The countries whose companies can borrow, their languages, and their types of company numbers.
 * These lists type every table by country or language, so a new entry does not compile until each
 * table has it.
 */
export const COUNTRIES = ['FR', 'DE', 'ES', 'NL', 'BE'] as const
export type CountryCode = (typeof COUNTRIES)[number]

export const LANGUAGES = ['fr', 'de', 'es', 'nl', 'en'] as const
export type Language = (typeof LANGUAGES)[number]

export interface CountryFacts {
  /** ISO 3166-1. */
  readonly alpha_3: string
  readonly number: string
  readonly example: string
}

export const COUNTRY_FACTS = {
  FR: { alpha_3: 'FRA', number: 'SIREN, SIRET', example: '732 829 320' },
  DE: { alpha_3: 'DEU', number: 'USt-IdNr., Handelsregister', example: 'DE136695976' },
  ES: { alpha_3: 'ESP', number: 'NIF', example: 'B64717838' },
  NL: { alpha_3: 'NLD', number: 'KVK', example: '12345678' },
  BE: { alpha_3: 'BEL', number: 'KBO, BCE', example: '0403.019.261' },
} as const satisfies Record<CountryCode, CountryFacts>

export type Alpha3 = (typeof COUNTRY_FACTS)[keyof typeof COUNTRY_FACTS]['alpha_3']

export function alpha3(code: CountryCode): Alpha3 {
  return COUNTRY_FACTS[code].alpha_3
}

/** The same countries as alpha-3 codes, which terms and conditions use. */
export const TERMS_COUNTRIES: readonly Alpha3[] = COUNTRIES.map(alpha3)

export const IDENTIFIER_TYPES = [
  'belgium_registration_number',
  'bsn',
  'cif',
  'hr_nummer',
  'kvk',
  'nif',
  'siren',
  'siret',
  'steuernummer',
  'vat_number',
] as const
