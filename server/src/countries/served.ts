/** The countries we serve, by code. */
import { COUNTRIES, type CountryCode } from '@headroom/contract/countries'
import type { Country } from './country.ts'
import * as folders from './folders.ts'

/** The literal type of the country folders, from which the types of company numbers are derived. */
export type Folders = typeof folders

/** Does not compile if a country in the contract's list has no folder. */
export const COUNTRY: Readonly<Record<CountryCode, Country>> = folders

/** Whether companies in the country (alpha-2) can borrow and be debtors of financed invoices. */
export function isServed(code: string | null): code is CountryCode {
  return COUNTRIES.some(served => served === code)
}

/** The country of a VAT number's prefix; null if we do not serve it. */
export function vatCountry(text: string): CountryCode | null {
  const prefix = text.trimStart().slice(0, 2).toUpperCase()
  return isServed(prefix) ? prefix : null
}
