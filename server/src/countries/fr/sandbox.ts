/** Sandbox companies, places and accounts in France. */
import { mod97 } from '../../platform/kit/mod97.ts'
import { shuffled } from '../../platform/kit/seeded-random.ts'
import type { SandboxCountry } from '../country.ts'
import { fakePlacesIn, twoDigits, withCheckDigit } from '../sandbox-numbers.ts'
import { frenchVatOf, parseSiren } from './numbers.ts'

export const sandbox: SandboxCountry = {
  bic: 'HDRMFRPP',
  iban: {
    bank: '9989',
    seedLength: 11,
    sealLength: 5,
    compose: (bank, seed, seal) => {
      const account = `${bank}${seal}${seed}`
      return account + twoDigits(97 - mod97(`${account}00`))
    },
    seedAt: 14,
  },
  places: fakePlacesIn('fr', [
    '75011 Paris',
    '69003 Lyon',
    '13006 Marseille',
    '59000 Lille',
    '44000 Nantes',
    '33000 Bordeaux',
    '31000 Toulouse',
    '67000 Strasbourg',
    '35000 Rennes',
    '38000 Grenoble',
  ]),
  legal_forms: ['SAS', 'SARL', 'SA'],
  companyNumber: (seed, series) => {
    const front = 40_000_000 + series * 5_000_000 + shuffled(seed, 5_000_000)
    return withCheckDigit(String(front), parseSiren)
  },
  vatNumber: ({ company_key }) => frenchVatOf(company_key.slice('FR:'.length)),
}
