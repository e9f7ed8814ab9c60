/** Belgian enterprise numbers, which become VAT numbers with the prefix BE. */
import {
  checkFault,
  compact,
  digitsFault,
  type IdentifierResult,
  type IdentifierType,
  refused,
} from '../identifier.ts'

/**
 * An enterprise number: 10 digits starting with 0 or 1. The last two are 97 minus the remainder of
 * the first eight divided by 97. The customary prefix BE is dropped.
 */
export function parseBelgianNumber(text: string): IdentifierResult {
  return parse(compact(text).replace(/^BE/, ''), 'belgium_registration_number')
}

export function parseBelgianVat(text: string): IdentifierResult {
  return parse(compact(text).replace(/^BE/, ''), 'vat_number')
}

function parse(number: string, type: IdentifierType): IdentifierResult {
  const label = 'a Belgian enterprise number'
  const fault = digitsFault(label, number, 10)
  if (fault) return refused(fault)
  if (!/^[01]/.test(number)) return refused(`${label} begins with 0 or 1, not ${number[0]}`)
  if (number.startsWith('00000000')) return refused(`${label} is not all zeros`)
  const wrong = checkFault(label, number, 8, [belgianPair(number.slice(0, 8))])
  if (wrong) return refused(wrong)
  return {
    ok: true,
    identifier: type === 'vat_number' ? `BE${number}` : number,
    identifier_type: type,
    country: 'BE',
    company_key: `BE:${number}`,
  }
}

function belgianPair(digits: string): string {
  return String(97 - (Number(digits) % 97)).padStart(2, '0')
}
