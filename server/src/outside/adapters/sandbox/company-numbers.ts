/** Numbers for companies that do not exist: right in every check digit, another for each seed. */
import {
  COUNTRY,
  type CountryCode,
  type IdentifierType,
  parseCompanyIdentifier,
} from '../../../countries/index.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { type SandboxCountry, whereIs } from './countries.ts'

export type GeneratedCompany = {
  identifier: string
  identifier_type: IdentifierType
  country: CountryCode
}

/**
 * A valid company number of the country. Seeds are whole numbers from 0; each below 3,000,000
 * gives another company. Overseas France has SIRENs, and so has Iceland: a branch in France.
 */
export function generateCompany(country: SandboxCountry, seed: number): GeneratedCompany {
  const { register, series } = whereIs(country)
  const candidate = COUNTRY[register].sandbox.companyNumber(seed, series)
  const parsed = parseCompanyIdentifier(candidate, undefined, register)
  assert(parsed.ok, `${candidate} should be a valid company number`)
  const { identifier, identifier_type } = parsed
  return { identifier, identifier_type, country: register }
}
