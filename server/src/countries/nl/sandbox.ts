/** Sandbox companies, places and accounts in the Netherlands. */
import { shuffled } from '../../platform/kit/seeded-random.ts'
import type { SandboxCountry, SandboxPlace } from '../country.ts'
import { vatFromDigits } from '../sandbox-numbers.ts'
import { parseDutchVat } from './numbers.ts'

/** Dutch postal codes contain a space. */
function place(text: string): SandboxPlace {
  const [digits, letters, ...city] = text.split(' ')
  return { city: city.join(' '), postal_code: `${digits} ${letters}`, language: 'nl' }
}

export const sandbox: SandboxCountry = {
  bic: 'HDRMNL2A',
  iban: {
    bank: 'HDRM',
    seedLength: 7,
    sealLength: 2,
    compose: (bank, seed, seal) => bank + seed + seal,
    seedAt: 9,
  },
  places: [
    '1012 AB Amsterdam',
    '2511 AA Den Haag',
    '5611 AZ Eindhoven',
    '9711 AA Groningen',
    '3011 AA Rotterdam',
    '3511 AD Utrecht',
  ].map(place),
  legal_forms: ['B.V.'],
  companyNumber: seed => String(10_000_000 + shuffled(seed, 80_000_000)),
  vatNumber: (_, digits) => vatFromDigits(digits(), nine => `NL${nine}B01`, parseDutchVat),
}
