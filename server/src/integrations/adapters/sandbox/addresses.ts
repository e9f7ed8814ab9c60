/** Generates addresses in the sandbox's towns. */
import type { SandboxPlace } from '../../../countries/index.ts'
import type { SeededRandom } from '../../../platform/kit/seeded-random.ts'
import { type SandboxCountry, STREETS } from './countries.ts'

/** An address in its wire format; `country` is ISO 3166-1 alpha-3. */
export type Address = {
  address_line_1: string
  postal_code: string
  city: string
  country: SandboxCountry
}

export function addressIn(
  country: SandboxCountry,
  place: SandboxPlace,
  choices: SeededRandom,
): Address {
  const street = choices.pick(STREETS[place.language])
  return {
    address_line_1: street.replace('#', String(1 + choices.below(120))),
    postal_code: place.postal_code,
    city: place.city,
    country,
  }
}
