/** Helpers that generate numbers and places for the sandbox. Pure. */
import { assert } from '../platform/kit/assert.ts'
import type { ParseNumber, SandboxLanguage, SandboxPlace } from './country.ts'

const DIGITS = Array.from('0123456789')

/** Places of one language, read from texts such as `75001 Paris`. */
export function fakePlacesIn(language: SandboxLanguage, texts: readonly string[]): SandboxPlace[] {
  return texts.map(text => {
    const [postal_code = '', city = ''] = text.split(/ (.*)/)
    return { city, postal_code, language }
  })
}

/** Appends the digit to `body` that makes the number valid. */
export function withCheckDigit(body: string, parse: ParseNumber): string {
  const right = DIGITS.find(last => parse(body + last).ok)
  assert(right, `${body} should have a check digit`)
  return body + right
}

/**
 * A VAT number for a company whose other numbers do not determine it: the first valid one, counting
 * up from nine `digits`. `write` adds what surrounds the digits.
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

export function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
