/**
 * The check digits of company numbers, computed from the digits they protect: one pass of
 * arithmetic, so that a wrong number costs no more than a right one. Pure.
 */

/** The Luhn check digit that follows these digits: SIREN, SIRET, Spanish companies. */
export function luhnDigit(digits: string): string {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 0 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return String((10 - (sum % 10)) % 10)
}

/** The two last digits of a SIRET of La Poste that make its digit sum divisible by 5. */
export function digitsToFive(digits: string): string[] {
  let sum = 0
  for (const digit of digits) sum += Number(digit)
  const lower = (5 - (sum % 5)) % 5
  return [String(lower), String(lower + 5)]
}

/** The numeric key of a French VAT number, from its SIREN. */
export function frenchVatKey(siren: string): string {
  return twoDigits((12 + 3 * (Number(siren) % 97)) % 97)
}

/** What the characters of a key stand for; I and O are left out. */
const KEY_CHARACTERS = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** True when a French VAT key with a letter belongs to its SIREN. */
export function isFrenchLetterKey(key: string, siren: string): boolean {
  const first = KEY_CHARACTERS.indexOf(key[0]!)
  const second = KEY_CHARACTERS.indexOf(key[1]!)
  const value = first < 10 ? first * 24 + second - 10 : first * 34 + second - 100
  return (Number(siren) + 1 + Math.floor(value / 11)) % 11 === value % 11
}

/** The two last digits of a Belgian enterprise number, from the first eight. */
export function belgianPair(digits: string): string {
  return twoDigits(97 - (Number(digits) % 97))
}

/** The last digit of a German VAT number by ISO 7064 mod 11,10, from the eight before it. */
export function germanVatDigit(digits: string): string {
  let product = 10
  for (const digit of digits) product = (((product + Number(digit)) % 10 || 10) * 2) % 11
  return String((11 - product) % 10)
}

/** The last digit by the 11-test of a BSN or RSIN; null when these eight cannot begin one. */
export function elevenTestDigit(digits: string): string | null {
  let sum = 0
  for (let i = 0; i < digits.length; i++) sum += Number(digits[i]) * (9 - i)
  const remainder = sum % 11
  return remainder === 10 ? null : String(remainder)
}

/** The letter of a Spanish person's number, from its digits. */
export function spanishLetter(digits: string): string {
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(digits) % 23]!
}

/** The control of a Spanish company's number, from its seven digits: as a digit or as a letter. */
export function spanishControls(digits: string): string[] {
  const digit = luhnDigit(digits)
  return [digit, 'JABCDEFGHI'[Number(digit)]!]
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
