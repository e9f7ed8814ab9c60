/** The countries we serve, by their codes. */
import { COUNTRIES, type CountryCode } from '@headroom/contract'
import type { Country } from './country.ts'
import * as folders from './folders.ts'

/** Each country as its own folder writes it, which tells the types of number that it has. */
export type Folders = typeof folders

/** A country of the contract's list without a folder does not compile. */
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
