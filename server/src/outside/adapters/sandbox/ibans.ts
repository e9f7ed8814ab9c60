/**
 * IBANs of the sandbox bank. The scenario that a payout to one follows is written in its digits:
 * a bank code that no bank has ends with the scenario, then come the seed and digits made from
 * both. So a scenario outlives every restart, and no ordinary IBAN is mistaken for one.
 */
import { assert } from '../../../platform/kit/assert.ts'
import { sha256 } from '../../../platform/kit/crypto.ts'
import { ibanOf, parseIban } from '../../../platform/kit/iban.ts'
import { mod97 } from '../../../platform/kit/mod97.ts'
import { COUNTRIES, type SandboxCountry } from './countries.ts'

/** What becomes of a payout to an IBAN; the order gives each its digit, from 1. */
export const IBAN_SCENARIOS = [
  'SUCCESS',
  'SUCCESS_ONE_DAY_LATER',
  'REJECT',
  'FAIL',
  'CANCEL',
] as const

export type IbanScenario = (typeof IBAN_SCENARIOS)[number]

type Layout = {
  /** The bank's code up to the digit of the scenario. */
  bank: string
  seedLength: number
  sealLength: number
  /** The national account number from bank with scenario, seed and seal. */
  compose: (bank: string, seed: string, seal: string) => string
  /** Where the seed stands in the IBAN. */
  seedAt: number
}

const LAYOUTS: Record<'FR' | 'DE' | 'ES' | 'NL' | 'BE' | 'IS', Layout> = {
  FR: {
    bank: '9989',
    seedLength: 11,
    sealLength: 5,
    compose: (bank, seed, seal) => {
      const account = `${bank}${seal}${seed}`
      return account + twoDigits(97 - mod97(`${account}00`))
    },
    seedAt: 14,
  },
  DE: {
    bank: '9989989',
    seedLength: 8,
    sealLength: 2,
    compose: (bank, seed, seal) => bank + seed + seal,
    seedAt: 12,
  },
  ES: {
    bank: '998',
    seedLength: 10,
    sealLength: 4,
    compose: (bank, seed, seal) =>
      bank + seal + spanishControl(`00${bank}${seal}`) + spanishControl(seed) + seed,
    seedAt: 14,
  },
  NL: {
    bank: 'HDRM',
    seedLength: 7,
    sealLength: 2,
    compose: (bank, seed, seal) => bank + seed + seal,
    seedAt: 9,
  },
  BE: {
    bank: '99',
    seedLength: 6,
    sealLength: 1,
    compose: (bank, seed, seal) => {
      const account = bank + seed + seal
      return account + twoDigits(Number(account) % 97 || 97)
    },
    seedAt: 7,
  },
  IS: {
    bank: '998',
    seedLength: 6,
    sealLength: 10,
    compose: (bank, seed, seal) => `${bank}26${seed}${seal}`,
    seedAt: 10,
  },
}

/**
 * A valid IBAN of the country that stands for the scenario. Seeds are whole numbers from 0; each
 * below 1,000,000 gives another IBAN. Overseas France has French ones.
 */
export function generateIban(
  country: SandboxCountry,
  scenario: IbanScenario,
  seed: number,
): string {
  const { iban_country, series } = COUNTRIES[country]
  const digit = IBAN_SCENARIOS.indexOf(scenario) + 1
  return make(iban_country, digit, seed, series)
}

/**
 * A valid French IBAN at the sandbox bank for the lender's own use (virtual accounts): none of
 * `generateIban`, and of no scenario. Seeds below 10,000,000,000 give different ones.
 */
export function generateVirtualIban(seed: number): string {
  return make('FR', 0, seed, 0)
}

/** The scenario that one of our IBANs stands for; null for every other text. */
export function ibanScenario(iban: string): IbanScenario | null {
  const plain = iban.replace(/\s/g, '').toUpperCase()
  const code = plain.slice(0, 2)
  if (!isLayout(code)) return null
  const { bank, seedAt, seedLength } = LAYOUTS[code]
  const digit = plain.slice(4 + bank.length, 5 + bank.length)
  const seed = plain.slice(seedAt, seedAt + seedLength)
  if (!/^[1-5]$/.test(digit) || !/^[0-9]+$/.test(seed)) return null
  return compose(code, digit, seed) === plain ? IBAN_SCENARIOS[Number(digit) - 1]! : null
}

/** The sandbox bank's BIC in that country. */
export function generateBic(country: SandboxCountry): string {
  return COUNTRIES[country].bic
}

function make(code: keyof typeof LAYOUTS, digit: number, seed: number, series: number): string {
  assert(Number.isSafeInteger(seed) && seed >= 0, `a seed is a whole number >= 0, not ${seed}`)
  const { seedLength } = LAYOUTS[code]
  const shifted = String(seed + series * 10_000_000_000)
  const iban = compose(code, String(digit), shifted.slice(-seedLength).padStart(seedLength, '0'))
  assert(parseIban(iban).ok, `${iban} should be a valid IBAN`)
  return iban
}

function compose(code: keyof typeof LAYOUTS, scenarioDigit: string, seed: string): string {
  const layout = LAYOUTS[code]
  const bank = layout.bank + scenarioDigit
  return (
    ibanOf(code, layout.compose(bank, seed, sealOf(code + bank + seed, layout.sealLength))) ?? ''
  )
}

function sealOf(text: string, length: number): string {
  const number = Number.parseInt(sha256(`sandbox iban ${text}`).slice(0, 12), 16)
  return String(number).padStart(length, '0').slice(-length)
}

function isLayout(code: string): code is keyof typeof LAYOUTS {
  return Object.hasOwn(LAYOUTS, code)
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}

/** The control digit of ten digits of a Spanish account number: weights 2^i mod 11, then mod 11. */
function spanishControl(tenDigits: string): string {
  const weights = [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]
  const sum = weights.reduce((total, weight, i) => total + weight * Number(tenDigits[i]), 0)
  const rest = 11 - (sum % 11)
  return String(rest === 11 ? 0 : rest === 10 ? 1 : rest)
}
