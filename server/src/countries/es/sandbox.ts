/** Sandbox companies, places and accounts in Spain. */
import { shuffled } from '../../platform/kit/seeded-random.ts'
import type { SandboxCountry } from '../country.ts'
import { fakePlacesIn, withCheckDigit } from '../sandbox-numbers.ts'
import { parseNif } from './numbers.ts'

const FORMS: Readonly<Record<string, string>> = { A: 'S.A.', B: 'S.L.', F: 'S. Coop.', J: 'S.C.' }

export const sandbox: SandboxCountry = {
  bic: 'HDRMESMM',
  iban: {
    bank: '998',
    seedLength: 10,
    sealLength: 4,
    compose: (bank, seed, seal) => bank + seal + control(`00${bank}${seal}`) + control(seed) + seed,
    seedAt: 14,
  },
  places: fakePlacesIn('es', [
    '28004 Madrid',
    '08008 Barcelona',
    '46002 Valencia',
    '41001 Sevilla',
    '48001 Bilbao',
    '50003 Zaragoza',
    '29001 Málaga',
  ]),
  legal_forms: ['S.L.', 'S.A.'],
  legalFormOf: ({ identifier }) => {
    const nif = identifier.replace(/^ES/, '')
    return /^[0-9XYZKLM]/.test(nif) ? 'Autónomo' : (FORMS[nif[0]!] ?? 'Otra entidad')
  },
  companyNumber: seed => withCheckDigit(`B${1_000_000 + shuffled(seed, 8_000_000)}`, parseNif),
  vatNumber: ({ identifier }) => (identifier.startsWith('ES') ? identifier : `ES${identifier}`),
}

/** The control digit of ten account digits, by a mod 11 check with the weights 2^i mod 11. */
function control(tenDigits: string): string {
  const weights = [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]
  const sum = weights.reduce((total, weight, i) => total + weight * Number(tenDigits[i]), 0)
  const rest = 11 - (sum % 11)
  return String(rest === 11 ? 0 : rest === 10 ? 1 : rest)
}
