/** Types and helpers shared by all countries' company identifiers. */
import type { CountryCode, IDENTIFIER_TYPES } from '@headroom/contract'

export type IdentifierType = (typeof IDENTIFIER_TYPES)[number]

export type ParsedIdentifier = {
  ok: true
  /** In canonical form: capitals without separators, except an hr_nummer, which keeps its words. */
  identifier: string
  identifier_type: IdentifierType
  country: CountryCode
  /** Equal for two identifiers known to belong to the same company. Internal only. */
  company_key: string
}

export type RefusedIdentifier = {
  ok: false
  /** The digit or rule that failed, in English, for the `reason` of an invalid parameter. */
  reason: string
  /** The possible types, if the type cannot be inferred and the caller must name it. */
  ambiguous?: IdentifierType[]
}

export type IdentifierResult = ParsedIdentifier | RefusedIdentifier

export function refused(reason: string, ambiguous?: IdentifierType[]): RefusedIdentifier {
  return ambiguous ? { ok: false, reason, ambiguous } : { ok: false, reason }
}

/** Uppercase without spaces, dots and dashes, whatever the Unicode form of the input. */
export function compact(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s.\u00ad\u2010-\u2015\u2212-]/g, '')
}

export function digitsFault(label: string, value: string, length: number): string | null {
  const other = /[^0-9]/.exec(value)
  if (other) return `${label} has digits only, not "${other[0]}"`
  if (value.length !== length) return `${label} has ${length} digits, this has ${value.length}`
  if (/^0+$/.test(value)) return `${label} is not all zeros`
  return null
}

/**
 * Compares the check characters at `from` with the `right` ones, of which there may be several or
 * none. Returns the fault ('check character 7 at position 9 should be 8'), or null if they match.
 */
export function checkFault(
  label: string,
  value: string,
  from: number,
  right: readonly string[],
): string | null {
  const width = right[0]?.length ?? 1
  const found = value.slice(from, from + width)
  if (right.includes(found)) return null
  const place = width === 1 ? `position ${from + 1}` : `positions ${from + 1} to ${from + width}`
  const wrong = `${label}: check ${width === 1 ? 'character' : 'characters'} ${found} at ${place}`
  if (right.length === 0) return `${wrong} cannot be right: no number begins like this`
  return `${wrong} should be ${right.join(' or ')}`
}
