/** Spanish tax numbers: NIF of companies (once CIF), individuals (DNI) and foreigners (NIE). */
import {
  checkFault,
  compact,
  type IdentifierResult,
  type IdentifierType,
  refused,
} from '../identifier.ts'
import { luhnDigit } from '../luhn.ts'

const COMPANY = /^[ABCDEFGHJNPQRSUVW][0-9]{7}[0-9A-J]$/
const PERSON = /^([0-9]{8}|[XYZKLM][0-9]{7})[A-Z]$/
/**
 * The letters that begin an individual's NIF, with the digit each stands for in the computation of
 * the check letter. K, L and M are ignored.
 */
const FIRST_LETTERS: Record<string, string> = { X: '0', Y: '1', Z: '2', K: '', L: '', M: '' }

/**
 * The NIF of a company, of an individual (8 digits and a check letter, mod 23) or of a foreigner
 * (NIE).
 */
export function parseNif(text: string): IdentifierResult {
  return parse(compact(text).replace(/^ES/, ''), 'nif')
}

/** A CIF, the former name of a company's NIF: a letter, 7 digits and a check digit or letter. */
export function parseCif(text: string): IdentifierResult {
  const cif = compact(text).replace(/^ES/, '')
  if (PERSON.test(cif)) return refused('a cif names a company; this is the nif of a person')
  return parse(cif, 'cif')
}

export function parseSpanishVat(text: string): IdentifierResult {
  return parse(compact(text).replace(/^ES/, ''), 'vat_number')
}

function parse(nif: string, type: IdentifierType): IdentifierResult {
  if (!COMPANY.test(nif) && !PERSON.test(nif)) {
    return refused(
      'a Spanish nif has 9 characters: a letter, 7 digits and a control digit or letter, or ' +
        '8 digits and a letter',
    )
  }
  if (/^.?0+.$/.test(nif)) return refused('a Spanish nif is not all zeros')
  const wrong = checkFault('a Spanish nif', nif, 8, controlsOf(nif))
  if (wrong) return refused(wrong)
  return {
    ok: true,
    identifier: type === 'vat_number' ? `ES${nif}` : nif,
    identifier_type: type,
    country: 'ES',
    // Without the control character, which for a company may be a digit or a letter.
    company_key: `ES:${nif.slice(0, 8)}`,
  }
}

function controlsOf(nif: string): string[] {
  const digits = nif.slice(1, 8)
  if (!PERSON.test(nif)) return spanishControls(digits)
  const first = nif[0]!
  return [spanishLetter((FIRST_LETTERS[first] ?? first) + digits)]
}

function spanishLetter(digits: string): string {
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(digits) % 23]!
}

/**
 * The check character of a company's number, computed from its seven digits: as a digit and as a
 * letter.
 */
function spanishControls(digits: string): string[] {
  const digit = luhnDigit(digits)
  return [digit, 'JABCDEFGHI'[Number(digit)]!]
}
