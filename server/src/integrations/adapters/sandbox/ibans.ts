/**
 * IBANs of the sandbox bank, which encode the scenario of payouts to them: a bank code that no real
 * bank has, the scenario, the seed, and digits computed from these. So scenarios survive restarts,
 * and no other IBAN is mistaken for one.
 */
import type { IbanLayout } from '../../../countries/index.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { sha256 } from '../../../platform/kit/crypto.ts'
import { ibanOf, parseIban } from '../../../platform/kit/iban.ts'
import { ibanLayout, type SandboxCountry, sandboxCountryOf } from './countries.ts'

/** The outcomes of a payout to an IBAN; their order determines each one's digit, from 1. */
export const IBAN_SCENARIOS = [
  'SUCCESS',
  'SUCCESS_ONE_DAY_LATER',
  'REJECT',
  'FAIL',
  'CANCEL',
] as const

export type IbanScenario = (typeof IBAN_SCENARIOS)[number]

/**
 * A valid IBAN of the country for a scenario. Seeds are integers from 0; each below 1,000,000 gives
 * a different IBAN. Overseas France has French IBANs.
 */
export function generateIban(
  country: SandboxCountry,
  scenario: IbanScenario,
  seed: number,
): string {
  const digit = IBAN_SCENARIOS.indexOf(scenario) + 1
  return make(sandboxCountryOf(country), digit, seed)
}

/**
 * A valid French IBAN at the sandbox bank for the lender's own virtual accounts, distinct from
 * those of `generateIban` and without a scenario. Seeds below 10,000,000,000 give different IBANs.
 */
export function generateVirtualIban(seed: number): string {
  return make(sandboxCountryOf('FRA'), 0, seed)
}

/** The scenario encoded in a sandbox IBAN; null for any other text. */
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

export function generateBic(country: SandboxCountry): string {
  return sandboxCountryOf(country).bic
}

function make(where: ReturnType<typeof sandboxCountryOf>, digit: number, seed: number): string {
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
