/** Numbers for companies that do not exist: right in every check digit, another for each seed. */
import { assert } from '../../../platform/kit/assert.ts'
import {
  type CountryCode,
  type IdentifierType,
  parseCompanyIdentifier,
} from '../../../platform/kit/identifiers/index.ts'
import { COUNTRIES, type SandboxCountry } from './countries.ts'
import { shuffled } from './seeded.ts'

export type GeneratedCompany = {
  identifier: string
  identifier_type: IdentifierType
  country: CountryCode
}

const DIGITS = Array.from('0123456789')

/**
 * A valid company number of the country. Seeds are whole numbers from 0; each below 3,000,000
 * gives another company. Overseas France has SIRENs, and so has Iceland: a branch in France.
 */
export function generateCompany(country: SandboxCountry, seed: number): GeneratedCompany {
  const { register, series } = COUNTRIES[country]
  const candidate = MAKERS[register](seed, series)
  const parsed = parseCompanyIdentifier(candidate)
  assert(parsed.ok, `${candidate} should be a valid company number`)
  const { identifier, identifier_type } = parsed
  return { identifier, identifier_type, country: register }
}

const MAKERS: Record<CountryCode, (seed: number, series: number) => string> = {
  FR: (seed, series) => {
    const front = 40_000_000 + series * 5_000_000 + shuffled(seed, 5_000_000)
    return checked(String(front), 'siren')
  },
  BE: seed => {
    const front = 4_000_000 + shuffled(seed, 5_000_000)
    return `0${front}${String(97 - (front % 97)).padStart(2, '0')}`
  },
  ES: seed => checked(`B${1_000_000 + shuffled(seed, 8_000_000)}`, 'nif'),
  NL: seed => String(10_000_000 + shuffled(seed, 80_000_000)),
  DE: seed => {
    const courts = COUNTRIES.DEU.places
    const number = shuffled(seed, courts.length * 250_000)
    const court = courts[number % courts.length]!
    return `${court.city} HRB ${1_000 + Math.floor(number / courts.length)}`
  },
}

/** A fictitious VAT number for a company of that country, told by nine `digits`. */
export function vatFromDigits(country: 'DE' | 'NL', digits: string): string {
  const body = `${1 + (Number(digits[0]) % 9)}${digits.slice(1)}`
  for (let front = Number(body.slice(0, 8)); ; front += 1) {
    for (const last of DIGITS) {
      const candidate = country === 'DE' ? `DE${front}${last}` : `NL${front}${last}B01`
      if (parseCompanyIdentifier(candidate, 'vat_number').ok) return candidate
    }
  }
}

function checked(body: string, type: IdentifierType): string {
  const right = DIGITS.find(last => parseCompanyIdentifier(body + last, type).ok)
  assert(right, `${body} should have a check digit`)
  return body + right
}
