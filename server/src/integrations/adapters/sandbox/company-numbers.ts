/** Generates numbers of fictitious companies, with valid check digits. */
import {
  COUNTRY,
  type CountryCode,
  type IdentifierType,
  parseCompanyIdentifier,
} from '../../../countries/index.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { type SandboxCountry, sandboxCountryOf } from './countries.ts'

export type GeneratedCompany = {
  identifier: string
  identifier_type: IdentifierType
  country: CountryCode
}

/**
 * A valid company number of the country. Seeds are integers from 0; each below 3,000,000 gives a
 * different company. Overseas France uses SIRENs. So do Icelandic companies, as branches in France.
 */
export function generateCompany(country: SandboxCountry, seed: number): GeneratedCompany {
  const { register, series } = sandboxCountryOf(country)
  const candidate = COUNTRY[register].sandbox.companyNumber(seed, series)
  const parsed = parseCompanyIdentifier(candidate, undefined, register)
  assert(parsed.ok, `${candidate} should be a valid company number`)
  const { identifier, identifier_type } = parsed
  return { identifier, identifier_type, country: register }
}
