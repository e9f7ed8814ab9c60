/** What the sandbox's register says of a company: told by its number, the same for ever. */
import { addDays, type Day, day } from '../../../platform/kit/dates.ts'
import {
  type CountryCode,
  frenchVatOf,
  parseCompanyIdentifier,
} from '../../../platform/kit/identifiers/index.ts'
import { ACTIVITIES } from './activities.ts'
import { type Address, addressIn } from './addresses.ts'
import { vatFromDigits } from './company-numbers.ts'
import { ALPHA3, COUNTRIES, type Place, type SandboxCountry } from './countries.ts'
import { FAMILY_NAMES } from './people.ts'
import { type Choices, choicesOf } from './seeded.ts'

export type CompanyProfile = {
  name: string
  legal_form: string
  address: Address
  creation_date: Day
  nace_code: string
  activity_description: string
  vat_number: string | null
  /** Cents. */
  share_capital: bigint
  /** Cents, last business year. */
  revenue_cents: bigint
  is_active: true
}

const LEGAL_FORMS: Record<CountryCode, string[]> = {
  FR: ['SAS', 'SARL', 'SA'],
  DE: ['GmbH', 'UG (haftungsbeschränkt)'],
  ES: ['S.L.', 'S.A.'],
  NL: ['B.V.'],
  BE: ['SRL', 'SA'],
}
const GERMAN_FORMS = { HRA: 'KG', HRB: 'GmbH', GnR: 'eG', PR: 'PartG', VR: 'e.V.' } as const
const SPANISH_FORMS: Record<string, string> = { A: 'S.A.', B: 'S.L.', F: 'S. Coop.', J: 'S.C.' }
const FLEMISH_FORMS: Record<string, string> = { SRL: 'BV', SA: 'NV' }

/**
 * The company of a canonical identifier. All identifiers of one company tell the same story. The
 * country is that of the register (alpha-2), or a generator's (alpha-3) to place it elsewhere.
 */
export function companyProfile(
  identifier: string,
  country: CountryCode | SandboxCountry,
): CompanyProfile {
  const alpha3 = country in ALPHA3 ? ALPHA3[country as CountryCode] : (country as SandboxCountry)
  const register = COUNTRIES[alpha3].register
  const parsed = parseCompanyIdentifier(identifier, undefined, register)
  const key = parsed.ok ? parsed.company_key : `${register}:${identifier}`
  const isVat = parsed.ok && parsed.identifier_type === 'vat_number'
  const choices = choicesOf(`company ${key}`)
  const place = placeOf(identifier, alpha3, choices)
  const activity = choices.pick(ACTIVITIES)
  const legal_form = legalFormOf(identifier, register, place, choices)
  const family = choices.pick(FAMILY_NAMES[place.language])
  const trade = activity.trade[place.language]
  return {
    name: nameOf(trade, family, legal_form, place),
    legal_form,
    address: addressIn(alpha3, place, choices),
    creation_date: addDays(day('1990-01-02'), choices.below(11_000)),
    nace_code: activity.nace_code,
    activity_description: activity.description[place.language],
    vat_number: isVat ? identifier : vatOf(identifier, key, register),
    share_capital: BigInt(choices.pick([3, 10, 25, 50, 100, 250])) * 100_000n,
    revenue_cents: 40_000_000n + BigInt(choices.below(760_000)) * 1_000n,
    is_active: true,
  }
}

/** A German company sits in the town of its court when we know it. */
function placeOf(identifier: string, country: SandboxCountry, choices: Choices): Place {
  const { places } = COUNTRIES[country]
  const chosen = choices.pick(places)
  if (country !== 'DEU') return chosen
  return places.find(place => identifier.startsWith(`${place.city} `)) ?? chosen
}

function legalFormOf(
  identifier: string,
  register: CountryCode,
  place: Place,
  choices: Choices,
): string {
  const chosen = choices.pick(LEGAL_FORMS[register])
  if (place.language === 'is') return 'ehf.'
  if (register === 'BE' && place.language === 'nl') return FLEMISH_FORMS[chosen] ?? chosen
  if (register === 'ES') {
    const nif = identifier.replace(/^ES/, '')
    return /^[0-9XYZKLM]/.test(nif) ? 'Autónomo' : (SPANISH_FORMS[nif[0]!] ?? 'Otra entidad')
  }
  const entry = / (HRA|HRB|GnR|PR|VR) /.exec(identifier)
  if (!entry || entry[1] === 'HRB') return chosen
  return GERMAN_FORMS[entry[1] as keyof typeof GERMAN_FORMS]
}

/** The trade stands first in Romance languages; the form is part of the name but in France. */
function nameOf(trade: string, family: string, legalForm: string, place: Place): string {
  const romance = place.language === 'fr' || place.language === 'es'
  const name = romance ? `${trade} ${family}` : `${capital(family)} ${trade}`
  const isFrench = ['SAS', 'SARL', 'SA', 'SRL'].includes(legalForm)
  return isFrench || legalForm === 'Autónomo' ? name : `${name} ${legalForm}`
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function vatOf(identifier: string, key: string, register: CountryCode): string {
  switch (register) {
    case 'FR':
      return frenchVatOf(key.slice(3))
    case 'BE':
      return `BE${key.slice(3)}`
    case 'ES':
      return identifier.startsWith('ES') ? identifier : `ES${identifier}`
    default:
      return vatFromDigits(register, choicesOf(`vat ${key}`).digits(9))
  }
}
