/** Countries as people read them. */
import { countryFacts } from 'virtual:countries'
import { regionName } from './format.ts'

/** Countries in which companies borrow are written in three letters too. */
const TWO_LETTERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(countryFacts).map(([code, { alpha_3 }]) => [alpha_3, code]),
)

/** A country by its code, in the person's own language. */
export function countryName(code: string | null | undefined): string {
  const short = code && (TWO_LETTERS[code] ?? code)
  return short && /^[A-Z]{2}$/.test(short) ? regionName(short) : (code ?? '')
}
