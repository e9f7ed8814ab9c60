/** Calculates a referrer's share. Pure. Source: the API's revenue share configuration. */
import type { Referrer } from '@headroom/contract'
import { maxAmount, share } from '../../platform/kit/money.ts'

export type SharingDuration = Referrer['config']['revenue_share_config']['sharing_duration']

/** Months after the referral in which new loans count; null means without limit. */
export const SHARING_MONTHS: Record<SharingDuration, number | null> = {
  SIX_MONTHS: 6,
  TWELVE_MONTHS: 12,
  TWENTY_FOUR_MONTHS: 24,
  FOREVER: null,
}

export function durationOf(months: number | null): SharingDuration {
  const found = Object.entries(SHARING_MONTHS).find(([, value]) => value === months)
  return (found?.[0] ?? 'FOREVER') as SharingDuration
}

/** Cents of interest paid on loans with the same rates, including the partner's mark-up. */
export interface InterestPaid {
  readonly interest: bigint
  readonly rate_ppm: number
  readonly mark_up_ppm: number
}

/**
 * The lender's part of the interest, in cents: excludes the mark-up, in proportion to the rates.
 */
export function lenderInterest(paid: readonly InterestPaid[]): bigint {
  return paid.reduce((sum, { interest, rate_ppm, mark_up_ppm }) => {
    return sum + share(interest, BigInt(rate_ppm), BigInt(rate_ppm + mark_up_ppm))
  }, 0n)
}

/**
 * The next share in cents: the share of all interest ever paid to the lender, less earlier shares.
 * Rounding that total rather than each month's part makes the shares add up. Interest returned
 * later reduces the following shares. Never negative.
 */
export function nextShare(interest: bigint, share_ppm: number, shared: bigint): bigint {
  const due = share(interest, BigInt(share_ppm), 1_000_000n) - shared
  return maxAmount(due, 0n)
}
