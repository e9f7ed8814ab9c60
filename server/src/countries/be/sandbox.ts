/** Sandbox companies, places and accounts in Belgium. */
import { shuffled } from '../../platform/kit/seeded-random.ts'
import type { SandboxCountry } from '../country.ts'
import { fakePlacesIn, twoDigits } from '../sandbox-numbers.ts'

const FLEMISH_FORMS: Readonly<Record<string, string>> = { SRL: 'BV', SA: 'NV' }

export const sandbox: SandboxCountry = {
  bic: 'HDRMBEBB',
  iban: {
    bank: '99',
    seedLength: 6,
    sealLength: 1,
    compose: (bank, seed, seal) => {
      const account = bank + seed + seal
      return account + twoDigits(Number(account) % 97 || 97)
    },
    seedAt: 7,
  },
  places: [
    ...fakePlacesIn('fr', ['1000 Bruxelles', '4000 Liège', '5000 Namur']),
    ...fakePlacesIn('nl', ['2000 Antwerpen', '9000 Gent', '3000 Leuven']),
  ],
  legal_forms: ['SRL', 'SA'],
  legalFormOf: ({ place, chosen }) =>
    place.language === 'nl' ? (FLEMISH_FORMS[chosen] ?? chosen) : chosen,
  companyNumber: seed => {
    const front = 4_000_000 + shuffled(seed, 5_000_000)
    return `0${front}${twoDigits(97 - (front % 97))}`
  },
  vatNumber: ({ company_key }) => `BE${company_key.slice('BE:'.length)}`,
}
