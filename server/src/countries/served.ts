/** The countries we serve: a folder each, and a line here. */
import { COUNTRIES, type CountryCode } from '@headroom/contract'
import { belgium } from './be/index.ts'
import type { Country } from './country.ts'
import { germany } from './de/index.ts'
import { spain } from './es/index.ts'
import { france } from './fr/index.ts'
import { netherlands } from './nl/index.ts'

const folders = {
  FR: france,
  DE: germany,
  ES: spain,
  NL: netherlands,
  BE: belgium,
} satisfies Record<CountryCode, Country>

/** Each country as its own folder writes it, which tells the types of number that it has. */
export type Folders = typeof folders

export const COUNTRY: Readonly<Record<CountryCode, Country>> = folders

/** Whether companies of the country (alpha-2) can borrow, and be financed against. */
export function isServed(code: string | null): code is CountryCode {
  return COUNTRIES.some(served => served === code)
}

/** The country whose prefix a VAT number has; null when it has none of those we serve. */
export function vatCountry(text: string): CountryCode | null {
  const prefix = text.trimStart().slice(0, 2).toUpperCase()
  return isServed(prefix) ? prefix : null
}
