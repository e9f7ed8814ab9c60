/** What sets a credit line's limit: versioned tables of amounts, and how they add up. Pure. */

import { type Day, day, daysBetween } from '../kit/dates.ts'
import type { Company } from '../ports/registry.ts'

/** What is looked at; kept with the line, so that the limit can be replayed and explained. */
export type ScorecardInputs = {
  is_active: boolean
  /** Days since the company was founded; null when the register does not say. */
  age_days: number | null
  /** Cents; null when the register does not say. */
  share_capital: number | null
}

type Figure = Exclude<keyof ScorecardInputs, 'is_active'>

export interface Scorecard {
  readonly version: string
  /** Cents that every active company gets. */
  readonly base: bigint
  /** For each figure the cents that it adds from a value on; the last one reached counts. */
  readonly bands: readonly {
    readonly figure: Figure
    readonly steps: readonly { readonly from: number; readonly adds: bigint }[]
  }[]
}

/** No line is larger, whatever the scorecard says (domain.md, Credit line). */
export const POOL_MAX = 20_000_000n

/** The sandbox's is flat, so that every demo tells the same story. */
export const SCORECARDS: Record<'sandbox' | 'live', Scorecard> = {
  sandbox: { version: 'sandbox-2026-07', base: 5_000_000n, bands: [] },
  live: {
    version: 'live-2026-07',
    base: 500_000n,
    bands: [
      {
        figure: 'age_days',
        steps: [
          { from: 365, adds: 500_000n },
          { from: 3 * 365, adds: 1_500_000n },
          { from: 5 * 365, adds: 2_500_000n },
        ],
      },
      {
        figure: 'share_capital',
        steps: [
          { from: 1_000_000, adds: 500_000n },
          { from: 5_000_000, adds: 1_500_000n },
          { from: 10_000_000, adds: 2_500_000n },
        ],
      },
    ],
  },
}

/** What the register knows of a company, as the scorecard reads it on a day. */
export function scorecardInputs(company: Company, today: Day): ScorecardInputs {
  const { creation_date, share_capital, is_active } = company
  return {
    is_active,
    age_days: creation_date === null ? null : daysBetween(day(creation_date), today),
    share_capital,
  }
}

/** The limit in cents. A figure that is not known adds nothing. */
export function poolAmount(scorecard: Scorecard, inputs: ScorecardInputs): bigint {
  if (!inputs.is_active) return 0n
  const sum = scorecard.bands.reduce((total, { figure, steps }) => {
    const value = inputs[figure]
    const reached = steps.findLast(step => value !== null && value >= step.from)
    return total + (reached?.adds ?? 0n)
  }, scorecard.base)
  return sum < POOL_MAX ? sum : POOL_MAX
}
