/** Computes the maximum that may be lent on one company's invoices. Pure. */
import type { DenialCode } from '@headroom/contract'
import { isServed } from '../../countries/index.ts'
import type { Company } from '../../integrations/ports/registry.ts'
import { type Day, day, daysBetween } from '../../platform/kit/dates.ts'
import { fromWire, minAmount } from '../../platform/kit/money.ts'

/** Amounts in cents. Changing any number requires a new version. */
const RULES = {
  version: 'counterparty-limit-2026-1',
  base: 5_000_000n,
  a_year: 500_000n,
  years_max: 20n,
  capital_factor: 2n,
  max: 50_000_000n,
}
const DAYS_A_YEAR = 365

/** Why nothing is lent on a company's invoices while the registry's answer is awaited. */
export const AWAITED = 'DATA_STILL_REFRESHING' satisfies DenialCode

export interface Limit {
  readonly max_amount: bigint
  /** Why the limit is zero; null if it is not. */
  readonly max_amount_details: DenialCode | null
  readonly limit_version: string
  /** The inputs of the rule, stored so that the limit can be recomputed. */
  readonly limit_inputs: Record<string, unknown>
}

export interface LimitInputs {
  /** Null if only the company's name is known. */
  readonly country: string | null
  /** The registry's data; null if the company is not registered or was not looked up. */
  readonly company: Company | null
  /** Whether the registry has not answered yet. */
  readonly is_awaited: boolean
  readonly today: Day
}

/**
 * The limit of a company: a base amount, plus more for each year of age and for share capital, up
 * to a maximum. Zero, with the reason, if the registry does not list the company as active, its
 * country is not supported, only its name is known, or the registry has not answered.
 */
export function limitOf({ country, company, is_awaited, today }: LimitInputs): Limit {
  const { version } = RULES
  const denial = is_awaited ? AWAITED : denialOf(country, company)
  const years = ageInYears(company?.creation_date ?? null, today)
  const capital = fromWire(company?.share_capital ?? 0)
  const full = RULES.base + years * RULES.a_year + capital * RULES.capital_factor
  return {
    max_amount: denial ? 0n : minAmount(full, RULES.max),
    max_amount_details: denial,
    limit_version: version,
    limit_inputs: {
      country,
      is_active: company?.is_active ?? null,
      years: Number(years),
      share_capital: company?.share_capital ?? null,
      on: today,
    },
  }
}

function denialOf(country: string | null, company: Company | null): DenialCode | null {
  if (country === null) return 'COUNTERPARTY_DATA_MISSING'
  if (!isServed(country)) return 'COUNTRY_NOT_ELIGIBLE_COUNTERPARTY'
  if (company === null) return 'COUNTERPARTY_NOT_REGISTERED'
  return company.is_active ? null : 'REMOVED_FROM_COMMERCIAL_REGISTER_BUSINESS'
}

function ageInYears(creation_date: string | null, today: Day): bigint {
  if (creation_date === null) return 0n
  const years = BigInt(
    Math.max(0, Math.floor(daysBetween(day(creation_date), today) / DAYS_A_YEAR)),
  )
  return minAmount(years, RULES.years_max)
}
