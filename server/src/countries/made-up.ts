/** How the folders of the countries make up numbers and places for the sandbox. Pure. */
import { assert } from '../platform/kit/assert.ts'
import type { ParseNumber, Place, SandboxLanguage } from './country.ts'

const DIGITS = Array.from('0123456789')

/** Places of one language, each written as postal code and city. */
export function placesIn(language: SandboxLanguage, texts: readonly string[]): Place[] {
  return texts.map(text => {
    const [postal_code = '', city = ''] = text.split(/ (.*)/)
    return { city, postal_code, language }
  })
}

/** The number that the body begins: with the one digit at its end that is right. */
export function withCheckDigit(body: string, parse: ParseNumber): string {
  const right = DIGITS.find(last => parse(body + last).ok)
  assert(right, `${body} should have a check digit`)
  return body + right
}

/**
 * A VAT number for a company whose other numbers do not tell it: the first that is right from nine
 * `digits` on, of which the last is the check digit.
 */
export function vatFromDigits(
  digits: string,
  write: (nine: string) => string,
  parse: ParseNumber,
): string {
  const body = `${1 + (Number(digits[0]) % 9)}${digits.slice(1)}`
  for (let front = Number(body.slice(0, 8)); ; front += 1) {
    for (const last of DIGITS) {
      const candidate = write(`${front}${last}`)
      if (parse(candidate).ok) return candidate
    }
  }
}

/** A number of up to two digits with a zero in front where it has one. */
export function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
