/** French company numbers: SIREN (company), SIRET (establishment) and VAT number. */
import {
  checkFault,
  compact,
  digitsFault,
  type IdentifierResult,
  type IdentifierType,
  refused,
} from '../identifier.ts'
import { luhnDigit } from '../luhn.ts'

const LA_POSTE = '356000000'
/**
 * The first 13 digits of the SIRET of La Poste's head office, whose last digit may also be a Luhn
 * check digit.
 */
const LA_POSTE_HEAD_OFFICE = '3560000000004'

/**
 * A SIREN: 9 digits, the last a Luhn check digit. No SIREN starts with 000; Monaco's VAT numbers
 * do, after the key.
 */
export function parseSiren(text: string): IdentifierResult {
  const siren = compact(text)
  const fault = digitsFault('a siren', siren, 9) ?? sirenFault(siren)
  return fault ? refused(fault) : french(siren, 'siren', siren)
}

/**
 * A SIRET: a SIREN and 5 digits for the establishment, the last a Luhn check digit over the whole
 * number. SIRETs of La Poste, which has too many establishments for that rule, have a digit sum
 * divisible by 5 instead; its head office may have either.
 */
export function parseSiret(text: string): IdentifierResult {
  const siret = compact(text)
  const fault = digitsFault('a siret', siret, 14)
  if (fault) return refused(fault)
  const siren = siret.slice(0, 9)
  const inSiren = sirenFault(siren)
  if (inSiren) return refused(`the first 9 digits of a siret are a siren, and of ${inSiren}`)
  const label = siren === LA_POSTE ? 'a siret of La Poste (digit sum divisible by 5)' : 'a siret'
  const wrong = checkFault(label, siret, 13, lastDigitsOf(siret))
  return wrong ? refused(wrong) : french(siret, 'siret', siren)
}

function lastDigitsOf(siret: string): string[] {
  const digits = siret.slice(0, 13)
  if (!digits.startsWith(LA_POSTE)) return [luhnDigit(digits)]
  const right = digitsToFive(digits)
  return digits === LA_POSTE_HEAD_OFFICE ? [...right, luhnDigit(digits)] : right
}

/** A French VAT number: FR, a two-character key and a SIREN. Refuses VAT numbers of Monaco. */
export function parseFrenchVat(text: string): IdentifierResult {
  const vat = compact(text)
  if (!/^FR[0-9A-HJ-NP-Z]{2}[0-9]{9}$/.test(vat)) {
    return refused('a French VAT number is FR, two digits or letters (not I, O) and 9 digits')
  }
  const siren = vat.slice(4)
  if (siren.startsWith('000')) {
    return refused('FR VAT numbers with 000 after the key are from Monaco and name no company')
  }
  const inSiren = sirenFault(siren)
  if (inSiren) return refused(`a French VAT number ends with a siren, and of ${inSiren}`)
  const wrong = vatKeyFault(vat, siren)
  return wrong ? refused(wrong) : french(vat, 'vat_number', siren)
}

function vatKeyFault(vat: string, siren: string): string | null {
  const key = vat.slice(2, 4)
  if (/^[0-9]+$/.test(key)) return checkFault('a French VAT number', vat, 2, [frenchVatKey(siren)])
  if (isFrenchLetterKey(key, siren)) return null
  return `a French VAT number: key ${key} does not belong to siren ${siren}`
}

/** The French VAT number of a SIREN, with the numeric key that the tax office assigns. */
export function frenchVatOf(siren: string): string {
  return `FR${frenchVatKey(siren)}${siren}`
}

function sirenFault(siren: string): string | null {
  if (siren.startsWith('000')) return 'a siren: it does not begin with 000'
  return checkFault('a siren', siren, 8, [luhnDigit(siren.slice(0, 8))])
}

function french(
  identifier: string,
  identifier_type: IdentifierType,
  siren: string,
): IdentifierResult {
  return { ok: true, identifier, identifier_type, country: 'FR', company_key: `FR:${siren}` }
}

/** The possible last digits of a La Poste SIRET, which make its digit sum divisible by 5. */
function digitsToFive(digits: string): string[] {
  let sum = 0
  for (const digit of digits) sum += Number(digit)
  const lower = (5 - (sum % 5)) % 5
  return [String(lower), String(lower + 5)]
}

function frenchVatKey(siren: string): string {
  return String((12 + 3 * (Number(siren) % 97)) % 97).padStart(2, '0')
}

/** The characters of a VAT key, in the order of their values; I and O are not used. */
const KEY_CHARACTERS = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'

function isFrenchLetterKey(key: string, siren: string): boolean {
  const first = KEY_CHARACTERS.indexOf(key[0]!)
  const second = KEY_CHARACTERS.indexOf(key[1]!)
  const value = first < 10 ? first * 24 + second - 10 : first * 34 + second - 100
  return (Number(siren) + 1 + Math.floor(value / 11)) % 11 === value % 11
}
