/** Spanish tax numbers: NIF of companies (once CIF), of persons (DNI) and of foreigners (NIE). */
import * as ES from 'stdnum/lib/cjs/es/index.js'
import {
  checkFault,
  compact,
  type IdentifierResult,
  type IdentifierType,
  ONE_DIGIT,
  refused,
} from './types.ts'

const COMPANY = /^[ABCDEFGHJNPQRSUVW][0-9]{7}[0-9A-J]$/
const PERSON = /^([0-9]{8}|[XYZKLM][0-9]{7})[A-Z]$/
const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')

/** A NIF of a company, a person (8 digits and a letter by mod 23) or a foreigner (NIE). */
export function parseNif(text: string): IdentifierResult {
  return parse(compact(text).replace(/^ES/, ''), 'nif')
}

/** A CIF, the former name of a company's NIF: letter, 7 digits, control digit or letter. */
export function parseCif(text: string): IdentifierResult {
  const cif = compact(text).replace(/^ES/, '')
  if (PERSON.test(cif)) return refused('a cif names a company; this is the nif of a person')
  return parse(cif, 'cif')
}

/** A Spanish VAT number: ES and the NIF. */
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
  const isValid = (candidate: string) => ES.nif.validate(candidate).isValid
  if (!isValid(nif)) {
    const candidates = PERSON.test(nif) ? LETTERS : [...ONE_DIGIT, ...LETTERS]
    return refused(checkFault('a Spanish nif', nif, 8, candidates, isValid))
  }
  return {
    ok: true,
    identifier: type === 'vat_number' ? `ES${nif}` : nif,
    identifier_type: type,
    country: 'ES',
    // Without the control: a company's may be written as a digit or as a letter.
    company_key: `ES:${nif.slice(0, 8)}`,
  }
}
