/** Computes a credit line's limit from a versioned table of rules. Pure. */
import type { ScorecardRules, Segment } from '@headroom/contract'
import type { KnownCompany } from '../../integrations/ports/registry.ts'
import { assert } from '../../platform/kit/assert.ts'
import { type Day, day, daysBetween } from '../../platform/kit/dates.ts'

/** The scorecard's inputs by name: cents, counts, days or parts per million. */
export type Figures = Readonly<Record<string, number | boolean | null>>

export type Step = {
  readonly name: string
  readonly figure: string
  readonly value: number | null
  readonly reached_from: number | null
  readonly adds: number
}

export interface AssessmentResult {
  readonly pool_amount: bigint
  readonly steps: Step[]
}

/**
 * Returns the limit in cents and what each rule adds. A rule whose figure is unknown adds nothing.
 * An override replaces the result of the rules. Even then, the limit of an inactive company is 0
 * and the cap applies.
 */
export function assess(
  scorecard: ScorecardRules,
  inputs: Figures,
  override: bigint | null = null,
): AssessmentResult {
  const steps = scorecard.rules.map(rule => stepOf(rule, inputs))
  const sum = steps.reduce((total, step) => total + step.adds, scorecard.base)
  if (inputs.is_active === false) {
    const nothing = { name: 'inactive', figure: 'is_active', value: 0, reached_from: null }
    return { pool_amount: 0n, steps: [...steps, { ...nothing, adds: -sum }] }
  }
  const limit = override === null ? Math.max(sum, 0) : Number(override)
  return { pool_amount: BigInt(Math.min(limit, scorecard.cap)), steps }
}

function stepOf({ name, figure, steps }: ScorecardRules['rules'][number], inputs: Figures): Step {
  const value = inputs[figure] ?? null
  assert(typeof value !== 'boolean', `${figure} is no number`)
  const reached = steps.findLast(step => value !== null && value >= step.from)
  return { name, figure, value, reached_from: reached?.from ?? null, adds: reached?.adds ?? 0 }
}

/**
 * The company's segment by monthly turnover; null if the turnover is unknown or below every
 * segment.
 */
export function segmentOf(
  { segments }: ScorecardRules,
  turnover_monthly: number | null,
): Segment | null {
  if (turnover_monthly === null) return null
  return segments.findLast(s => turnover_monthly * 12 >= s.turnover_from)?.segment ?? null
}

export function companyFigures(company: KnownCompany, today: Day) {
  const { creation_date, share_capital, is_active } = company
  return {
    is_active,
    age_days: creation_date === null ? null : daysBetween(day(creation_date), today),
    share_capital,
  }
}
