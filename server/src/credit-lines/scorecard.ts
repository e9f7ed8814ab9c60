/** What sets a credit line's limit: a versioned table of amounts, and how they add up. Pure. */
import { assert } from '../kit/assert.ts'
import { type Day, day, daysBetween } from '../kit/dates.ts'
import type { Company } from '../ports/registry.ts'

/** What the scorecard looks at, by name: cents, counts, days or parts per million. */
export type Figures = Readonly<Record<string, number | boolean | null>>

/** One rule: of the steps of a figure the last one reached counts. */
export interface Rule {
  readonly name: string
  readonly figure: string
  readonly steps: readonly { readonly from: number; readonly adds: number }[]
}

/** The `rules` of the table `scorecards`, all amounts in cents. */
export interface ScorecardRules {
  /** What every active company gets. */
  readonly base: number
  /** No line is larger, whatever the rules say (domain.md, Credit line). */
  readonly cap: number
  readonly rules: readonly Rule[]
  /** How far back is looked, in days. */
  readonly windows: {
    readonly transactions_days: number
    readonly balance_days: number
    readonly invoices_days: number
    readonly activity_days: number
    readonly repayments_days: number
  }
  readonly low_cash_below: number
  /** Days after its due day from which on a repayment is late. */
  readonly late_from_days: number
  /** Data of this age or younger give a line another term. */
  readonly fresh_days: number
  /** A line is looked at again after so many days. */
  readonly reassess_days: number
  /** The yearly turnover from which on a company belongs to a segment, ascending. */
  readonly segments: readonly { readonly segment: Segment; readonly turnover_from: number }[]
}

export type Segment = 'CAT1' | 'CAT2' | 'CAT3' | 'CAT4'

/** What a rule made of its figure. */
export type Step = {
  readonly name: string
  readonly figure: string
  readonly value: number | null
  readonly reached_from: number | null
  readonly adds: number
}

export interface Assessed {
  readonly pool_amount: bigint
  readonly steps: Step[]
}

/**
 * The limit in cents, and what each rule added or took. A figure that is not known reaches no
 * step; a company that is not active gets nothing.
 */
export function assess(scorecard: ScorecardRules, inputs: Figures): Assessed {
  const steps = scorecard.rules.map(rule => stepOf(rule, inputs))
  const sum = steps.reduce((total, step) => total + step.adds, scorecard.base)
  if (inputs.is_active === false) {
    const nothing = { name: 'inactive', figure: 'is_active', value: 0, reached_from: null }
    return { pool_amount: 0n, steps: [...steps, { ...nothing, adds: -sum }] }
  }
  return { pool_amount: BigInt(Math.min(Math.max(sum, 0), scorecard.cap)), steps }
}

function stepOf({ name, figure, steps }: Rule, inputs: Figures): Step {
  const value = inputs[figure] ?? null
  assert(typeof value !== 'boolean', `${figure} is no number`)
  const reached = steps.findLast(step => value !== null && value >= step.from)
  return { name, figure, value, reached_from: reached?.from ?? null, adds: reached?.adds ?? 0 }
}

/** The segment of a company by what it turns over in a month; null when nobody knows. */
export function segmentOf(
  { segments }: ScorecardRules,
  turnover_monthly: number | null,
): Segment | null {
  if (turnover_monthly === null) return null
  return segments.findLast(s => turnover_monthly * 12 >= s.turnover_from)?.segment ?? null
}

/** What the register knows of a company, as the scorecard reads it on a day. */
export function companyFigures(company: Company, today: Day) {
  const { creation_date, share_capital, is_active } = company
  return {
    is_active,
    age_days: creation_date === null ? null : daysBetween(day(creation_date), today),
    share_capital,
  }
}
