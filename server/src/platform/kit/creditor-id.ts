/** SEPA creditor identifiers and mandate references (EPC262-08, EPC016-06). */
import { createHash } from 'node:crypto'
import { assert } from './assert.ts'
import { checkDigits, hasCheckDigits } from './mod97.ts'

export type CreditorIdResult =
  | { ok: true; creditor_id: string; country: string }
  | { ok: false; reason: string }

/** The whole lengths that the banking communities of our countries give out. */
const LENGTHS: Record<string, number[]> = { FR: [13], DE: [18], ES: [16], NL: [19], BE: [17, 20] }

const LONGEST_MANDATE = 35

/**
 * Reads a creditor identifier: country, two check digits, three characters of the creditor's own
 * business (ZZZ by default, outside the check) and the national part.
 */
export function parseCreditorId(text: string): CreditorIdResult {
  const id = text.replace(/\s/g, '').toUpperCase()
  const form = /^([A-Z]{2})([0-9]{2})([A-Z0-9]{3})([A-Z0-9]{1,28})$/.exec(id)
  if (!form) {
    return no('a creditor identifier is 2 letters, 2 check digits, 3 characters and up to 28 more')
  }
  const [, country = '', digits = '', , national = ''] = form
  const lengths = LENGTHS[country]
  if (lengths && !lengths.includes(id.length)) {
    const right = lengths.join(' or ')
    return no(`a creditor identifier of ${country} has ${right} characters, this has ${id.length}`)
  }
  if (!hasCheckDigits(country, digits, national)) {
    return no(`the check digits ${digits} of this creditor identifier do not fit (mod 97)`)
  }
  return { ok: true, creditor_id: id, country }
}

/** The creditor identifier of a national part, e.g. creditorId('FR', '123456'). */
export function creditorId(country: string, national: string, business = 'ZZZ'): string {
  const id = `${country}${checkDigits(country, national)}${business}${national}`
  const result = parseCreditorId(id)
  assert(result.ok, `${id} is no creditor identifier`)
  return result.creditor_id
}

/**
 * The unique mandate reference of a seed (a UUID, say), always the same one: at most 35 capitals
 * and digits, of which every bank's character set has all.
 */
export function mandateReference(seed: string): string {
  const plain = seed.toUpperCase().replace(/[^A-Z0-9]/g, '')
  assert(plain.length > 0, 'a mandate reference needs letters or digits')
  if (plain.length <= LONGEST_MANDATE) return plain
  return createHash('sha256').update(seed).digest('hex').slice(0, 32).toUpperCase()
}

function no(reason: string): CreditorIdResult {
  return { ok: false, reason }
}
