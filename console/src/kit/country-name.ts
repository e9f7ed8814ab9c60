/** Names of countries, by two-letter or three-letter code. */
import { countryFacts } from 'virtual:countries'
import { regionName } from './format.ts'

/** Maps the three-letter codes of the countries where companies borrow to two letters. */
const TWO_LETTERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(countryFacts).map(([code, { alpha_3 }]) => [alpha_3, code]),
)

/** The country's name in the user's language; returns an unknown code unchanged. */
export function countryName(code: string | null | undefined): string {
  const short = code && (TWO_LETTERS[code] ?? code)
  return short && /^[A-Z]{2}$/.test(short) ? regionName(short) : (code ?? '')
}
