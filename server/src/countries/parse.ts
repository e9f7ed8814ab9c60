/**
 * Reads company identifiers: their type, their format and check digits, and which of them belong to
 * the same company. Works offline; only the registry knows whether a company exists.
 */
import { COUNTRIES, type CountryCode } from '@headroom/contract/countries'
import type { CompanyNumber } from './country.ts'
import { compact, type IdentifierResult, type IdentifierType, refused } from './identifier.ts'
import { COUNTRY, type Folders, isServed } from './served.ts'

const LONGEST = 100

/** The number types that the countries define. A type that no country defines does not compile. */
type NamedType = {
  [C in keyof Folders]: keyof Folders[C]['numbers']['types']
}[keyof Folders]

const TYPES: Readonly<Record<Exclude<IdentifierType, 'vat_number'>, CompanyNumber>> = typesOf()

function typesOf(): Record<NamedType, CompanyNumber> {
  return Object.assign({}, ...COUNTRIES.map(code => COUNTRY[code].numbers.types))
}

interface Candidate extends CompanyNumber {
  readonly type: IdentifierType
  readonly country: CountryCode
}

const ALL: readonly Candidate[] = COUNTRIES.flatMap(country =>
  Object.entries(COUNTRY[country].numbers.types).map(([type, number]) => {
    return { ...number, type: type as IdentifierType, country }
  }),
)

/** Patterns that find a company number on an invoice by the label before it. */
export const NUMBERS_ON_INVOICES: readonly (readonly [RegExp, IdentifierType])[] = ALL.flatMap(
  ({ on_invoices, type }) => (on_invoices ? [[on_invoices.pattern, type] as const] : []),
)

/**
 * Reads a company identifier. Without a `type`, infers it from the format, unless the type is one
 * that must be named; a VAT number needs its country prefix. With a `country`, identifiers of other
 * countries are refused. Pure and offline.
 */
export function parseCompanyIdentifier(
  identifier: string,
  type?: IdentifierType,
  country?: CountryCode,
): IdentifierResult {
  if (identifier.trim() === '') return refused('an identifier is not empty')
  if (isTooLong(identifier)) return refused(`an identifier has ${LONGEST} characters at most`)
  const result = type ? parseNamed(identifier, type) : infer(identifier, country)
  if (result.ok && country && result.country !== country) {
    return refused(`this ${result.identifier_type} is of ${result.country}, not of ${country}`)
  }
  return result
}

/** The definition of a number type; null for VAT numbers and unknown types. */
export function companyNumber(type: string): CompanyNumber | null {
  return Object.hasOwn(TYPES, type) ? TYPES[type as keyof typeof TYPES] : null
}

/** Measures the normalized text too, because NFKC expands some characters to as many as 18. */
function isTooLong(text: string): boolean {
  return text.length > LONGEST || text.normalize('NFKC').length > LONGEST
}

function parseNamed(text: string, type: IdentifierType): IdentifierResult {
  return type === 'vat_number' ? parseVat(text) : TYPES[type].parse(text)
}

const EITHER_OF = new Intl.ListFormat('en-GB', { type: 'disjunction' })

function parseVat(text: string): IdentifierResult {
  const prefix = /^[A-Z]{2}/.exec(compact(text))?.[0]
  if (!prefix) {
    return refused(`a VAT number needs its country prefix: ${EITHER_OF.format(COUNTRIES)}`)
  }
  if (isServed(prefix)) return COUNTRY[prefix].numbers.parseVat(text)
  const served = COUNTRIES.join(', ')
  return refused(`VAT numbers beginning with ${prefix} are not served: ${served} are`)
}

/** Prefers a number type of `country`, if given, over those of other countries. */
function infer(text: string, country: CountryCode | undefined): IdentifierResult {
  const value = compact(text)
  const digits = /^[0-9/]+$/.test(value) ? value.replaceAll('/', '') : null
  const alike = ALL.filter(one => one.looks_like?.(digits ?? value, text))
  const possible = alike.filter(one => !one.must_be_named)
  const inferred = possible.find(one => one.country === country) ?? possible[0]
  if (inferred) return orNamed(digits ?? text, inferred, alike)
  if (isVatNumber(value)) return parseVat(text)
  if (digits !== null) return refusedDigits(digits, alike)
  const inferable = ALL.filter(one => one.looks_like && !one.must_be_named)
  const types = inferable.map(one => one.type).join(', ')
  return refused(
    `the type of this identifier cannot be inferred: its form is none of ${types}, vat_number`,
  )
}

/** Accepts any country prefix, or no prefix if no other number has the same format. */
function isVatNumber(value: string): boolean {
  const bare = COUNTRIES.map(code => COUNTRY[code].numbers.vat_without_prefix)
  return /^[A-Z]{2}(.*[0-9]){5}/.test(value) || bare.some(form => form?.test(value))
}

function refusedDigits(digits: string, alike: readonly Candidate[]): IdentifierResult {
  const count = digits.length
  if (alike.length === 0) return refused(`no company identifier without a type has ${count} digits`)
  const types = alike.map(one => one.type)
  return refused(
    `${count} digits may be a ${EITHER_OF.format(types)}, whose type must be named; a VAT number ` +
      'needs its country prefix',
    types,
  )
}

/**
 * Parses a number as the inferred type. If that fails, the refusal lists the other types of the
 * same form for which parsing succeeds.
 */
function orNamed(text: string, inferred: Candidate, alike: readonly Candidate[]): IdentifierResult {
  const result = inferred.parse(text)
  if (result.ok) return result
  const others = alike.filter(one => one !== inferred && one.parse(text).ok).map(one => one.type)
  if (others.length === 0) return result
  const advice = `if it is a ${EITHER_OF.format(others)}, name that type`
  return refused(`${result.reason}; ${advice}`, [inferred.type, ...others])
}

/** A VAT number of a country we do not serve, in capitals. Its check digits are not verified. */
export function foreignVat(text: string): string | null {
  const vat = text.replace(/[\s.-]/g, '').toUpperCase()
  return /^[A-Z]{2}[A-Z0-9]{5,13}$/.test(vat) && !isServed(vat.slice(0, 2)) ? vat : null
}

export function isPublicBody(company: { identifier: string; country: string }): boolean {
  const { identifier, country } = company
  return isServed(country) && COUNTRY[country].numbers.isPublicBody(identifier)
}
