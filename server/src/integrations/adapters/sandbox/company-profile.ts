/** The sandbox registry's data about a company, derived from its number and therefore constant. */
import { alpha3 } from '@headroom/contract'
import {
  COUNTRY,
  type CountryCode,
  isServed,
  parseCompanyIdentifier,
  type SandboxLanguage,
  type SandboxPlace,
} from '../../../countries/index.ts'
import { addDays, type Day, day } from '../../../platform/kit/dates.ts'
import { type SeededRandom, seededRandom } from '../../../platform/kit/seeded-random.ts'
import { ACTIVITIES } from './activities.ts'
import { type Address, addressIn } from './addresses.ts'
import { type SandboxCountry, sandboxCountryOf } from './countries.ts'
import { FAMILY_NAMES } from './people.ts'

export type CompanyProfile = {
  name: string
  legal_form: string
  /** The language of the town of its registered office. */
  language: SandboxLanguage
  address: Address
  creation_date: Day
  nace_code: string
  activity_description: string
  vat_number: string | null
  /** In cents. */
  share_capital: bigint
  /** In cents, for the last financial year. */
  revenue_cents: bigint
  is_active: true
}

/**
 * The profile for a canonical identifier; identifiers with the same `company_key` share one.
 * `country` is the registry's country (alpha-2), or the country requested from a generator
 * (alpha-3), which may be a territory that uses that registry.
 */
export function companyProfile(
  identifier: string,
  country: CountryCode | SandboxCountry,
): CompanyProfile {
  const where = isServed(country) ? alpha3(country) : country
  const { register, places } = sandboxCountryOf(where)
  const parsed = parseCompanyIdentifier(identifier, undefined, register)
  const key = parsed.ok ? parsed.company_key : `${register}:${identifier}`
  const isVat = parsed.ok && parsed.identifier_type === 'vat_number'
  const choices = seededRandom(`company ${key}`)
  const chosen = choices.pick(places)
  const place = COUNTRY[register].sandbox.seatOf?.(identifier) ?? chosen
  const activity = choices.pick(ACTIVITIES)
  const legal_form = legalFormOf(identifier, register, place, choices)
  const family = choices.pick(FAMILY_NAMES[place.language])
  const trade = activity.trade[place.language]
  return {
    name: nameOf(trade, family, legal_form, place),
    legal_form,
    language: place.language,
    address: addressIn(where, place, choices),
    creation_date: addDays(day('1990-01-02'), choices.below(11_000)),
    nace_code: activity.nace_code,
    activity_description: activity.description[place.language],
    vat_number: isVat ? identifier : vatOf(identifier, key, register),
    share_capital: BigInt(choices.pick([3, 10, 25, 50, 100, 250])) * 100_000n,
    revenue_cents: 40_000_000n + BigInt(choices.below(760_000)) * 1_000n,
    is_active: true,
  }
}

function legalFormOf(
  identifier: string,
  register: CountryCode,
  place: SandboxPlace,
  choices: SeededRandom,
): string {
  const { legal_forms, legalFormOf: formOf } = COUNTRY[register].sandbox
  const chosen = choices.pick(legal_forms)
  if (place.language === 'is') return 'ehf.'
  return formOf ? formOf({ identifier, place, chosen }) : chosen
}

interface NameOrder {
  readonly trade_first: boolean
  readonly with_form: boolean
}

/**
 * Romance languages put the trade first. In languages other than French, a company's legal form is
 * part of its name.
 */
const NAMES: Readonly<Record<SandboxLanguage, NameOrder>> = {
  fr: { trade_first: true, with_form: false },
  de: { trade_first: false, with_form: true },
  es: { trade_first: true, with_form: true },
  nl: { trade_first: false, with_form: true },
  is: { trade_first: false, with_form: true },
}

function nameOf(trade: string, family: string, legalForm: string, place: SandboxPlace): string {
  const { trade_first, with_form } = NAMES[place.language]
  const name = trade_first ? `${trade} ${family}` : `${capital(family)} ${trade}`
  return with_form && legalForm !== 'Autónomo' ? `${name} ${legalForm}` : name
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function vatOf(identifier: string, company_key: string, register: CountryCode): string {
  const digits = () => seededRandom(`vat ${company_key}`).digits(9)
  return COUNTRY[register].sandbox.vatNumber({ identifier, company_key }, digits)
}
