/** The shapes that all countries' company identifiers share, and the words of their refusals. */
import type { CountryCode, IDENTIFIER_TYPES } from '@headroom/contract'

/** The kinds of company identifier that the interface knows. */
export type IdentifierType = (typeof IDENTIFIER_TYPES)[number]

export type ParsedIdentifier = {
  ok: true
  /** The canonical form: capitals, no separators; an hr_nummer keeps its single spaces. */
  identifier: string
  identifier_type: IdentifierType
  country: CountryCode
  /** Equal for two identifiers that are known to mean the same company. Never shown outside. */
  company_key: string
}

export type RefusedIdentifier = {
  ok: false
  /** Which digit or rule failed, in English, fit for the `reason` of an invalid parameter. */
  reason: string
  /** The types it could be once the caller names one, when the type could not be inferred. */
  ambiguous?: IdentifierType[]
}

export type IdentifierResult = ParsedIdentifier | RefusedIdentifier

/** A refusal with its reason. */
export function refused(reason: string, ambiguous?: IdentifierType[]): RefusedIdentifier {
  return ambiguous ? { ok: false, reason, ambiguous } : { ok: false, reason }
}

/** Capitals without spaces, dots and dashes, whichever Unicode form they were pasted in. */
export function compact(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s.\u00ad\u2010-\u2015\u2212-]/g, '')
}

/** Says what is wrong with a number that should have exactly `length` digits; null if nothing. */
export function digitsFault(label: string, value: string, length: number): string | null {
  const other = /[^0-9]/.exec(value)
  if (other) return `${label} has digits only, not "${other[0]}"`
  if (value.length !== length) return `${label} has ${length} digits, this has ${value.length}`
  if (/^0+$/.test(value)) return `${label} is not all zeros`
  return null
}

/**
 * Compares the check characters at `from` with the `right` ones, of which there may be several or
 * none: 'check character 7 at position 9 should be 8'. Null when they are right.
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
