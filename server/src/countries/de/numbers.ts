/**
 * German company numbers: commercial register, Steuernummer, VAT number. None can be derived from
 * another.
 */
import { checkFault, compact, digitsFault, type IdentifierResult, refused } from '../identifier.ts'

const REGISTERS = { HRA: 'HRA', HRB: 'HRB', GNR: 'GnR', PR: 'PR', VR: 'VR' } as const
const ENTRY = String.raw`\b(HRA|HRB|GNR|PR|VR)\s*(?:NR\.?\s*)?([0-9]{1,7})(?:\s*([A-Z]{1,3}))?`
const COURT_FIRST = new RegExp(String.raw`^(.*?)[\s,;:-]*${ENTRY}$`, 'i')
const COURT_LAST = new RegExp(String.raw`^${ENTRY}[\s,;:-]+(\D+)$`, 'i')
const COURT = /^\p{L}[\p{L} .()/'-]*\p{L}[\p{L} .()/'-]*$/u

/** Whether the text contains a register code and a number, and so must be an hr_nummer. */
export function looksLikeRegisterEntry(text: string): boolean {
  return new RegExp(`${ENTRY}\\b`, 'i').test(text.normalize('NFKC'))
}

/**
 * A commercial register entry: court, register (HRA, HRB, GnR, PR, VR) and number, with the court
 * first or last, e.g. 'Aachen HRA 11223'. Each court keeps its own registers, so a number without
 * its court is ambiguous.
 */
export function parseRegisterEntry(text: string): IdentifierResult {
  const line = text.normalize('NFKC').replace(/\s+/g, ' ').trim()
  const bare = line.replace(/\b(Amtsgericht|Registergericht|AG)\s+/gi, '').trim()
  const entry = readEntry(bare)
  if (!entry) {
    return refused('an hr_nummer is a court, one of HRA, HRB, GnR, PR, VR, and a number')
  }
  // The shortest court names have three letters (Hof, Ulm). Fewer letters are a suffix of the
  // number.
  if (!COURT.test(entry.court) || entry.court.length < 3) {
    return refused('an hr_nummer is unique only with its court: write e.g. Aachen HRA 11223')
  }
  const number = entry.number.replace(/^0+/, '')
  if (!number) return refused('an hr_nummer does not have the number 0')
  const suffix = entry.suffix.toUpperCase()
  const register = REGISTERS[entry.register.toUpperCase() as keyof typeof REGISTERS]
  const court = courtKey(entry.court)
  // Numbers in Charlottenburg end in B, which is often omitted.
  const keySuffix = court === 'charlottenburg' && suffix === 'B' ? '' : suffix
  return {
    ok: true,
    identifier: [courtName(entry.court), register, number, suffix].filter(Boolean).join(' '),
    identifier_type: 'hr_nummer',
    country: 'DE',
    company_key: `DE:hr:${court}:${register}${number}${keySuffix}`,
  }
}

/**
 * A Steuernummer of 10, 11 or 13 digits, with or without slashes. Its check digit is not verified,
 * because the rule depends on the federal state, which the shorter forms do not show.
 */
export function parseSteuernummer(text: string): IdentifierResult {
  const number = compact(text).replaceAll('/', '')
  const length = [10, 11, 13].includes(number.length) ? number.length : null
  if (length === null && /^[0-9]*$/.test(number)) {
    return refused(`a steuernummer has 10, 11 or 13 digits, this has ${number.length}`)
  }
  const fault = digitsFault('a steuernummer', number, length ?? 11)
  if (fault) return refused(fault)
  return german(number, 'steuernummer', `DE:tax:${number}`)
}

/**
 * A German VAT number: DE and 9 digits, the first not 0, the last an ISO 7064 mod 11,10 check
 * digit.
 */
export function parseGermanVat(text: string): IdentifierResult {
  const vat = compact(text)
  const label = 'a German VAT number'
  const digits = vat.replace(/^DE/, '')
  const fault = digitsFault(`${label} after DE`, digits, 9)
  if (fault) return refused(fault)
  if (digits.startsWith('0')) return refused(`${label} does not begin with 0 after DE`)
  const wrong = checkFault(label, vat, 10, [germanVatDigit(digits.slice(0, 8))])
  if (wrong) return refused(wrong)
  return german(vat, 'vat_number', `DE:vat:${digits}`)
}

function german(
  identifier: string,
  identifier_type: 'steuernummer' | 'vat_number',
  company_key: string,
): IdentifierResult {
  return { ok: true, identifier, identifier_type, country: 'DE', company_key }
}

function readEntry(line: string) {
  const first = COURT_FIRST.exec(line)
  if (first) {
    const [, court = '', register = '', number = '', suffix = ''] = first
    if (court) return { court: court.trim(), register, number, suffix }
  }
  const last = COURT_LAST.exec(line)
  if (last) {
    const [, register = '', number = '', suffix = '', court = ''] = last
    return { court: court.trim(), register, number, suffix }
  }
  if (!first) return null
  const [, , register = '', number = '', suffix = ''] = first
  return { court: '', register, number, suffix }
}

/** The court as written, but capitalized if it is all in upper or lower case. */
function courtName(court: string): string {
  if (court !== court.toUpperCase() && court !== court.toLowerCase()) return court
  return court.toLowerCase().replace(/(^|[ (/-])(\p{L})/gu, (_, before: string, letter: string) => {
    return before + letter.toUpperCase()
  })
}

/**
 * The court's name for comparison, in lowercase letters without umlauts or ß. Berlin's court is
 * `charlottenburg`.
 */
function courtKey(court: string): string {
  const letters = court
    .toLowerCase()
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .replace(/[^\p{L}]/gu, '')
  return /^(berlin)?charlottenburg(berlin)?$|^berlin$/.test(letters) ? 'charlottenburg' : letters
}

/**
 * The check digit of a German VAT number (ISO 7064 mod 11,10), computed from the eight digits
 * before it.
 */
function germanVatDigit(digits: string): string {
  let product = 10
  for (const digit of digits) product = (((product + Number(digit)) % 10 || 10) * 2) % 11
  return String((11 - product) % 10)
}
