/**
 * IBANs of the sandbox bank. The scenario that a payout to one follows is written in its digits:
 * a bank code that no bank has ends with the scenario, then come the seed and digits made from
 * both. So a scenario outlives every restart, and no ordinary IBAN is mistaken for one.
 */
import type { IbanLayout } from '../../../countries/index.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { sha256 } from '../../../platform/kit/crypto.ts'
import { ibanOf, parseIban } from '../../../platform/kit/iban.ts'
import { ibanLayout, type SandboxCountry, whereIs } from './countries.ts'

/** What becomes of a payout to an IBAN; the order gives each its digit, from 1. */
export const IBAN_SCENARIOS = [
  'SUCCESS',
  'SUCCESS_ONE_DAY_LATER',
  'REJECT',
  'FAIL',
  'CANCEL',
] as const

export type IbanScenario = (typeof IBAN_SCENARIOS)[number]

/**
 * A valid IBAN of the country that stands for the scenario. Seeds are whole numbers from 0; each
 * below 1,000,000 gives another IBAN. Overseas France has French ones.
 */
export function generateIban(
  country: SandboxCountry,
  scenario: IbanScenario,
  seed: number,
): string {
  const digit = IBAN_SCENARIOS.indexOf(scenario) + 1
  return make(whereIs(country), digit, seed)
}

/**
 * A valid French IBAN at the sandbox bank for the lender's own use (virtual accounts): none of
 * `generateIban`, and of no scenario. Seeds below 10,000,000,000 give different ones.
 */
export function generateVirtualIban(seed: number): string {
  return make(whereIs('FRA'), 0, seed)
}

/** The scenario that one of our IBANs stands for; null for every other text. */
export function ibanScenario(iban: string): IbanScenario | null {
  const plain = iban.replace(/\s/g, '').toUpperCase()
  const code = plain.slice(0, 2)
  const layout = ibanLayout(code)
  if (!layout) return null
  const { bank, seedAt, seedLength } = layout
  const digit = plain.slice(4 + bank.length, 5 + bank.length)
  const seed = plain.slice(seedAt, seedAt + seedLength)
  if (!/^[1-5]$/.test(digit) || !/^[0-9]+$/.test(seed)) return null
  return compose(code, layout, digit, seed) === plain ? IBAN_SCENARIOS[Number(digit) - 1]! : null
}

/** The sandbox bank's BIC in that country. */
export function generateBic(country: SandboxCountry): string {
  return whereIs(country).bic
}

function make(where: ReturnType<typeof whereIs>, digit: number, seed: number): string {
  assert(Number.isSafeInteger(seed) && seed >= 0, `a seed is a whole number >= 0, not ${seed}`)
  const { iban_country, iban: layout, series } = where
  const { seedLength } = layout
  const shifted = String(seed + series * 10_000_000_000)
  const digits = shifted.slice(-seedLength).padStart(seedLength, '0')
  const iban = compose(iban_country, layout, String(digit), digits)
  assert(parseIban(iban).ok, `${iban} should be a valid IBAN`)
  return iban
}

function compose(code: string, layout: IbanLayout, scenarioDigit: string, seed: string): string {
  const bank = layout.bank + scenarioDigit
  const seal = sealOf(code + bank + seed, layout.sealLength)
  return ibanOf(code, layout.compose(bank, seed, seal)) ?? ''
}

function sealOf(text: string, length: number): string {
  const number = Number.parseInt(sha256(`sandbox iban ${text}`).slice(0, 12), 16)
  return String(number).padStart(length, '0').slice(-length)
}
