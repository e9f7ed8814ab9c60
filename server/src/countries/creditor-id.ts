/** SEPA creditor identifiers (EPC262-08). */
import { assert } from '../platform/kit/assert.ts'
import { checkDigits, hasCheckDigits } from '../platform/kit/mod97.ts'
import { COUNTRY, isServed } from './served.ts'

export type CreditorIdResult =
  | { ok: true; creditor_id: string; country: string }
  | { ok: false; reason: string }

/**
 * Reads a creditor identifier: country, two check digits, a business code of three characters (ZZZ
 * by default, not covered by the check digits) and the national part.
 */
export function parseCreditorId(text: string): CreditorIdResult {
  const id = text.replace(/\s/g, '').toUpperCase()
  const form = /^([A-Z]{2})([0-9]{2})([A-Z0-9]{3})([A-Z0-9]{1,28})$/.exec(id)
  if (!form) {
    return no('a creditor identifier is 2 letters, 2 check digits, 3 characters and up to 28 more')
  }
  const [, country = '', digits = '', , national = ''] = form
  const lengths = isServed(country) ? COUNTRY[country].creditor_id_lengths : null
  if (lengths && !lengths.includes(id.length)) {
    const right = lengths.join(' or ')
    return no(`a creditor identifier of ${country} has ${right} characters, this has ${id.length}`)
  }
  if (!hasCheckDigits(country, digits, national)) {
    return no(`the check digits ${digits} of this creditor identifier do not fit (mod 97)`)
  }
  return { ok: true, creditor_id: id, country }
}

/** The creditor identifier for a national part, e.g. creditorId('FR', '123456'). */
export function creditorId(country: string, national: string, business = 'ZZZ'): string {
  const id = `${country}${checkDigits(country, national)}${business}${national}`
  const result = parseCreditorId(id)
  assert(result.ok, `${id} is no creditor identifier`)
  return result.creditor_id
}

function no(reason: string): CreditorIdResult {
  return { ok: false, reason }
}
