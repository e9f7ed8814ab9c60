/**
 * Creditor references (ISO 11649), by which incoming transfers are matched, and mandate references
 * (EPC016-06).
 */
import { createHash } from 'node:crypto'
import { assert } from './assert.ts'
import { checkDigits, hasCheckDigits } from './mod97.ts'

const LONGEST_BODY = 21
const LONGEST_MANDATE = 35
const RF = /^RF([0-9]{2})([A-Z0-9]{1,21})$/
// Omits 0, 1, I and O, which are easily confused.
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/**
 * The creditor reference of a seed: RF, two check digits and the seed's letters and digits. More
 * than 21 of these, as in a UUID, are replaced by 16 derived from the seed's hash. Deterministic.
 */
export function rfReference(seed: string): string {
  const plain = seed.toUpperCase().replace(/[^A-Z0-9]/g, '')
  assert(plain.length > 0, 'a reference needs letters or digits')
  const body = plain.length <= LONGEST_BODY ? plain : shorten(seed)
  return `RF${checkDigits('RF', body)}${body}`
}

/**
 * The unique mandate reference of a seed, such as a UUID: at most 35 capital letters and digits,
 * which every bank's character set includes. Deterministic.
 */
export function mandateReference(seed: string): string {
  const plain = seed.toUpperCase().replace(/[^A-Z0-9]/g, '')
  assert(plain.length > 0, 'a mandate reference needs letters or digits')
  if (plain.length <= LONGEST_MANDATE) return plain
  return createHash('sha256').update(seed).digest('hex').slice(0, 32).toUpperCase()
}

/** True for a valid reference, even with spaces or in lowercase. Check digits 00, 01, 99 fail. */
export function isRfReference(text: string): boolean {
  return isElectronic(electronicForm(text))
}

/** A reference as it is stored: in uppercase, without spaces. */
export function electronicForm(text: string): string {
  return text.replace(/\s/g, '').toUpperCase()
}

/**
 * Finds every valid reference in a transfer's free text, in order, in uppercase without spaces. In
 * the text, a reference may contain spaces, and no letter or digit may follow it directly. A valid
 * reference need not be ours: look it up.
 */
export function findReferences(text: string): string[] {
  const line = text.toUpperCase().replace(/\s+/g, ' ')
  const found = new Set<string>()
  for (let at = line.indexOf('R'); at >= 0; at = line.indexOf('R', at + 1)) {
    for (const candidate of candidatesAt(line, at)) found.add(candidate)
  }
  return [...found]
}

function candidatesAt(line: string, start: number): string[] {
  const candidates: string[] = []
  let read = ''
  for (let i = start; read.length < LONGEST_BODY + 4; i += 1) {
    const character = line[i] ?? ''
    if (/[A-Z0-9]/.test(character)) {
      read += character
      if (!'RF'.startsWith(read.slice(0, 2))) break
      if (!/[A-Z0-9]/.test(line[i + 1] ?? '') && isElectronic(read)) candidates.push(read)
    } else if (character !== ' ') break
  }
  return candidates
}

function isElectronic(reference: string): boolean {
  const match = RF.exec(reference)
  return match !== null && hasCheckDigits('RF', match[1] ?? '', match[2] ?? '')
}

function shorten(seed: string): string {
  const bytes = createHash('sha256').update(seed).digest().subarray(0, 16)
  return Array.from(bytes, byte => ALPHABET[byte % 32]).join('')
}
