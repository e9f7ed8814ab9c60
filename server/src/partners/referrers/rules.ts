/** What a referrer earns: pure. Source: the record's revenue share configuration. */
import type { Referrer } from '@headroom/contract'
import { most, share } from '../../platform/kit/money.ts'

export type SharingDuration = Referrer['config']['revenue_share_config']['sharing_duration']

/** Months after a referral within which loans are shared in; null for ever. */
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

/** Cents of interest paid on loans of the same rates, the partner's mark-up included. */
export interface InterestPaid {
  readonly interest: bigint
  readonly rate_ppm: number
  readonly mark_up_ppm: number
}

/** Cents of it that are the lender's own: the mark-up, in proportion to its rate, is not. */
export function lendersPart(paid: readonly InterestPaid[]): bigint {
  return paid.reduce((sum, { interest, rate_ppm, mark_up_ppm }) => {
    return sum + share(interest, BigInt(rate_ppm), BigInt(rate_ppm + mark_up_ppm))
  }, 0n)
}

/**
 * The next share in cents: of all the lender's interest ever paid, less what was shared before.
 * The total is rounded and not the difference, so shares always add up; interest that went back
 * with a returned payment is made up for by the shares after it. Never below zero.
 */
export function nextShare(interest: bigint, share_ppm: number, shared: bigint): bigint {
  const due = share(interest, BigInt(share_ppm), 1_000_000n) - shared
  return most(due, 0n)
}
