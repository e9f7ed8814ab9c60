/**
 * Company identifiers of the five countries: what they are, whether their form and check digits
 * are right, and which of them mean the same company. All offline; that a company exists is
 * for the registry to say.
 */
import { parseBelgianNumber, parseBelgianVat } from './be.ts'
import {
  looksLikeRegisterEntry,
  parseGermanVat,
  parseRegisterEntry,
  parseSteuernummer,
} from './de.ts'
import { parseCif, parseNif, parseSpanishVat } from './es.ts'
import { parseFrenchVat, parseSiren, parseSiret } from './fr.ts'
import { parseBsn, parseDutchVat, parseKvk } from './nl.ts'
import {
  type CountryCode,
  compact,
  type IdentifierResult,
  type IdentifierType,
  refused,
} from './types.ts'

export { frenchVatOf } from './fr.ts'
export { isPublicBody } from './public-bodies.ts'
export type {
  CountryCode,
  IdentifierResult,
  IdentifierType,
  ParsedIdentifier,
  RefusedIdentifier,
} from './types.ts'
export { IDENTIFIER_TYPES } from './types.ts'

const LONGEST = 100

const PARSERS: Record<IdentifierType, (text: string) => IdentifierResult> = {
  belgium_registration_number: parseBelgianNumber,
  bsn: parseBsn,
  cif: parseCif,
  hr_nummer: parseRegisterEntry,
  kvk: parseKvk,
  nif: parseNif,
  siren: parseSiren,
  siret: parseSiret,
  steuernummer: parseSteuernummer,
  vat_number: parseVat,
}

const VAT_PARSERS: Record<CountryCode, (text: string) => IdentifierResult> = {
  FR: parseFrenchVat,
  DE: parseGermanVat,
  ES: parseSpanishVat,
  NL: parseDutchVat,
  BE: parseBelgianVat,
}

/**
 * Reads a company identifier. Spaces, dots and dashes are accepted and left out. Without a `type`
 * it is inferred from the form; a bsn and a steuernummer never are, and a VAT number needs its
 * country prefix. With a `country` an identifier of another one is refused. Pure and offline.
 */
export function parseCompanyIdentifier(
  identifier: string,
  type?: IdentifierType,
  country?: CountryCode,
): IdentifierResult {
  if (identifier.trim() === '') return refused('an identifier is not empty')
  if (isTooLong(identifier)) return refused(`an identifier has ${LONGEST} characters at most`)
  const result = type ? PARSERS[type](identifier) : infer(identifier)
  if (result.ok && country && result.country !== country) {
    return refused(`this ${result.identifier_type} is of ${result.country}, not of ${country}`)
  }
  return result
}

/** Some single characters are normalized to as many as 18. */
function isTooLong(text: string): boolean {
  return text.length > LONGEST || text.normalize('NFKC').length > LONGEST
}

function parseVat(text: string): IdentifierResult {
  const prefix = /^[A-Z]{2}/.exec(compact(text))?.[0]
  if (!prefix) return refused('a VAT number needs its country prefix: FR, DE, ES, NL or BE')
  if (!Object.hasOwn(VAT_PARSERS, prefix)) {
    return refused(`VAT numbers beginning with ${prefix} are not served: FR, DE, ES, NL, BE are`)
  }
  return VAT_PARSERS[prefix as CountryCode](text)
}

function infer(text: string): IdentifierResult {
  if (looksLikeRegisterEntry(text)) return parseRegisterEntry(text)
  const value = compact(text)
  if (/^[A-Z]{2}(.*[0-9]){5}/.test(value)) return parseVat(text)
  if (/^[A-Z][0-9]{7}[0-9A-Z]$|^[0-9]{8}[A-Z]$/.test(value)) return parseNif(text)
  if (/^[0-9]{9}B[0-9]{2}$/.test(value)) return parseVat(text)
  if (/^[0-9/]+$/.test(value)) return inferFromDigits(value.replaceAll('/', ''))
  return refused(
    'the type of this identifier cannot be inferred: its form is none of siren, siret, ' +
      'nif, kvk, belgium_registration_number, hr_nummer, vat_number',
  )
}

function inferFromDigits(digits: string): IdentifierResult {
  switch (digits.length) {
    case 8:
      return parseKvk(digits)
    case 9:
      return orNamed(parseSiren(digits), 'siren', 'bsn', digits)
    case 10:
      return orNamed(
        parseBelgianNumber(digits),
        'belgium_registration_number',
        'steuernummer',
        digits,
      )
    case 14:
      return parseSiret(digits)
    case 11:
    case 13:
      return refused(
        `${digits.length} digits may be a steuernummer, whose type must be named; a VAT number ` +
          'needs its country prefix',
        ['steuernummer'],
      )
    default:
      return refused(`no company identifier without a type has ${digits.length} digits`)
  }
}

/** Adds to a refusal that the digits could be of a type which is never inferred. */
function orNamed(
  result: IdentifierResult,
  inferred: IdentifierType,
  named: IdentifierType,
  digits: string,
): IdentifierResult {
  if (result.ok || !PARSERS[named](digits).ok) return result
  return refused(`${result.reason}; if it is a ${named}, name that type`, [inferred, named])
}

/** Two letters of a country that we do not serve, then the number. */
const FOREIGN_VAT = /^(?!FR|DE|ES|NL|BE)[A-Z]{2}[A-Z0-9]{5,13}$/

/** A VAT number of a country that is not served, in capitals; its digits are not looked at. */
export function foreignVat(text: string): string | null {
  const vat = text.replace(/[\s.-]/g, '').toUpperCase()
  return FOREIGN_VAT.test(vat) ? vat : null
}
