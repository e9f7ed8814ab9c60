/** Builds the API view of an eligibility check. */
import type { DenialCode, Eligibility, SimpleEligibility } from '@headroom/contract'
import { toWire } from '../../platform/kit/money.ts'
import { translationOf } from './denial-texts.ts'

export function simpleAnswer(codes: readonly DenialCode[]): SimpleEligibility {
  return {
    is_eligible: codes.length === 0,
    reasons: codes.map(code => ({ code, description: translationOf(code).en })),
  }
}

/**
 * The answer with the maximum amount and price. With a denial reason, the amount is 0 and the price
 * null.
 */
export function fullAnswer(
  codes: readonly DenialCode[],
  max_amount: bigint,
  { rate_ppm, mark_up_ppm }: { rate_ppm: number; mark_up_ppm: number },
): Eligibility {
  const eligible = codes.length === 0
  const rate = (rate_ppm + mark_up_ppm) / 10_000
  return {
    ...simpleAnswer(codes),
    max_amount: eligible ? toWire(max_amount) : 0,
    fees_daily_rate: eligible ? rate : null,
    // Late interest is charged at the same rate.
    pricing_details: eligible ? { fees_daily_rate: rate, late_daily_rate: rate } : null,
  }
}
