/**
 * Dutch company numbers: KVK (trade register), BSN or RSIN, VAT number. None can be derived from
 * another.
 */
import { mod97 } from '../../platform/kit/mod97.ts'
import {
  checkFault,
  compact,
  digitsFault,
  type IdentifierResult,
  type IdentifierType,
  refused,
} from '../identifier.ts'

/** A KVK number: 8 digits without a check digit. */
export function parseKvk(text: string): IdentifierResult {
  const kvk = compact(text)
  const fault = digitsFault('a kvk number', kvk, 8)
  return fault ? refused(fault) : dutch(kvk, 'kvk', 'kvk')
}

/**
 * An individual's BSN or a legal entity's RSIN: 9 digits that pass the 11-test. A leading 0 may be
 * omitted.
 */
export function parseBsn(text: string): IdentifierResult {
  const typed = compact(text)
  const bsn = typed.length === 8 ? `0${typed}` : typed
  const fault = digitsFault('a bsn', bsn, 9)
  if (fault) return refused(fault)
  const right = elevenTestDigit(bsn.slice(0, 8))
  const wrong = checkFault('a bsn (11-test)', bsn, 8, right === null ? [] : [right])
  return wrong ? refused(wrong) : dutch(bsn, 'bsn', 'bsn')
}

/**
 * A Dutch VAT number: NL, 9 digits, B and a number from 01 to 99. It must pass the 11-test or mod
 * 97.
 */
export function parseDutchVat(text: string): IdentifierResult {
  const vat = compact(text)
  if (!/^NL[0-9]{9}B[0-9]{2}$/.test(vat)) {
    return refused('a Dutch VAT number is NL, 9 digits, B and two digits')
  }
  if (vat.endsWith('B00')) return refused('a Dutch VAT number ends with B01 to B99, not B00')
  if (vat.startsWith('NL000000000')) return refused('a Dutch VAT number is not all zeros')
  const digits = vat.slice(2, 11)
  const isRight = elevenTestDigit(digits.slice(0, 8)) === digits[8] || mod97(vat) === 1
  if (isRight) return dutch(vat, 'vat_number', 'vat')
  return refused(`a Dutch VAT number: ${digits} fails the 11-test, and ${vat} fails mod 97`)
}

function dutch(
  identifier: string,
  identifier_type: IdentifierType,
  family: string,
): IdentifierResult {
  const company_key = `NL:${family}:${identifier}`
  return { ok: true, identifier, identifier_type, country: 'NL', company_key }
}

/**
 * The last digit of a BSN or RSIN, computed from the eight before it by the 11-test; null if no
 * number starts with these eight.
 */
function elevenTestDigit(digits: string): string | null {
  let sum = 0
  for (let i = 0; i < digits.length; i++) sum += Number(digits[i]) * (9 - i)
  const remainder = sum % 11
  return remainder === 10 ? null : String(remainder)
}
