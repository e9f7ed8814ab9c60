/** The rules that set limits, as an operator hands them in. Amounts are cents. */
import { z } from 'zod'
import { across, text } from './shared.ts'

/** No line is larger, whatever rules or people say (domain.md, Credit line). */
export const LIMIT_MAX = 20_000_000

/** What a scorecard may look at: cents, counts, days or parts per million. */
export const SCORECARD_FIGURES = [
  ...['age_days', 'share_capital', 'balance_total', 'income_monthly', 'months_with_income'],
  ...['low_cash_days', 'invoiced_monthly', 'overdue_ppm', 'activity_monthly', 'turnover_monthly'],
  ...['data_age_days', 'repaid_on_time_amount', 'repaid_late'],
] as const

const Amount = z.int().min(0).max(LIMIT_MAX)
const Change = z.int().min(-LIMIT_MAX).max(LIMIT_MAX)
const Days = z.int().min(1).max(3650)
const Name = z.string().regex(/^[a-z][a-z0-9_]{0,49}$/, 'is not snake_case')

function ascending<T>(figureOf: (item: T) => number) {
  return (items: readonly T[]) =>
    items.every((item, i) => i === 0 || figureOf(items[i - 1]!) < figureOf(item))
}

/** One rule: of the steps of a figure the last one reached counts. */
const Rule = z.strictObject({
  name: Name,
  figure: z.enum(SCORECARD_FIGURES),
  steps: z
    .array(z.strictObject({ from: z.int(), adds: Change }))
    .min(1)
    .max(50)
    .refine(
      ascending((step: { from: number }) => step.from),
      'does not ascend by from',
    ),
})

export const ScorecardRules = z
  .strictObject({
    /** What every active company gets. */
    base: Amount,
    cap: Amount,
    rules: z.array(Rule).max(50),
    /** How far back is looked, in days. */
    windows: z.strictObject({
      transactions_days: Days,
      balance_days: Days,
      invoices_days: Days,
      activity_days: Days,
      repayments_days: Days,
    }),
    low_cash_below: z.int().min(0),
    /** Days after its due day from which on a repayment is late. */
    late_from_days: z.int().min(1).max(365),
    /** Data of this age or younger give a line another term. */
    fresh_days: Days,
    /** A line is looked at again after so many days. */
    reassess_days: Days,
    /** A limit by hand above this, and above the present one, takes two operators. */
    four_eyes_above: Amount,
    /** The yearly turnover from which on a company belongs to a segment. */
    segments: z
      .array(
        z.strictObject({
          segment: z.enum(['CAT1', 'CAT2', 'CAT3', 'CAT4']),
          turnover_from: z.int().min(0),
        }),
      )
      .min(1)
      .max(4)
      .refine(
        ascending((item: { turnover_from: number }) => item.turnover_from),
        'does not ascend by turnover_from',
      ),
  })
  .refine(({ base, cap }) => !(base > cap), { ...across, path: ['base'], message: 'is above cap' })
  .refine(({ rules }) => new Set(rules.map(rule => rule.name)).size === rules.length, {
    path: ['rules'],
    message: 'has two rules of one name',
  })
export type ScorecardRules = z.infer<typeof ScorecardRules>
export type Segment = ScorecardRules['segments'][number]['segment']

/** A scorecard as an operator's file describes it. */
export const NewScorecard = z.strictObject({
  version: z.string().regex(/^[a-z0-9][a-z0-9.-]{2,49}$/, 'has other characters than a-z 0-9 . -'),
  in_force_from: z.iso.date(),
  reason: text(500),
  rules: ScorecardRules,
})
export type NewScorecard = z.infer<typeof NewScorecard>
