/** Scorecards: the rules that set limits, as submitted by an operator. Amounts are in cents. */
import { z } from 'zod'
import { evenWhenInvalid, text } from './shared.ts'

/** The maximum credit line, whatever a scorecard or an operator sets. */
export const LIMIT_MAX = 20_000_000

/** Above any figure in cents, and still exact in JSON. */
export const FIGURE_MAX = 1_000_000_000_000_000

/** Defaults for scorecards that lack these fields: a number of months, and cents. */
export const TURNOVER_MONTHS_MIN = 3
export const INCOME_MONTH_FROM = 50_000

interface FigureKind {
  /** The direction in which the figure improves. */
  readonly better: 'higher' | 'lower'
  /**
   * The lowest possible value; null if the figure may be unknown even though its source was
   * consulted. An unknown figure reaches no step.
   */
  readonly least: number | null
}

/** The figures a scorecard can use: cents, counts, days or parts per million. */
export const SCORECARD_FIGURES = {
  age_days: { better: 'higher', least: null },
  share_capital: { better: 'higher', least: null },
  balance_total: { better: 'higher', least: -FIGURE_MAX },
  income_monthly: { better: 'higher', least: 0 },
  months_with_income: { better: 'higher', least: 0 },
  low_cash_days: { better: 'lower', least: 0 },
  invoiced_monthly: { better: 'higher', least: 0 },
  overdue_ppm: { better: 'lower', least: 0 },
  activity_monthly: { better: 'higher', least: 0 },
  turnover_monthly: { better: 'higher', least: 0 },
  data_age_days: { better: 'lower', least: 0 },
  repaid_on_time_amount: { better: 'higher', least: 0 },
  repaid_late: { better: 'lower', least: 0 },
} as const satisfies Record<string, FigureKind>
export type ScorecardFigure = keyof typeof SCORECARD_FIGURES

const Amount = z.int().min(0).max(LIMIT_MAX)
const Change = z.int().min(-LIMIT_MAX).max(LIMIT_MAX)
const Days = z.int().min(1).max(3650)
const Name = z.string().regex(/^[a-z][a-z0-9_]{0,49}$/, 'is not snake_case')

function ascending<T>(figureOf: (item: T) => number) {
  return (items: readonly T[]) =>
    items.every((item, i) => i === 0 || figureOf(items[i - 1]!) < figureOf(item))
}

/** A rule adds the amount of the last step that its figure reaches. */
const Rule = z.strictObject({
  name: Name,
  figure: z.enum(Object.keys(SCORECARD_FIGURES) as [ScorecardFigure, ...ScorecardFigure[]]),
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
    /** The limit in cents before rules add to it or subtract from it. */
    base: Amount,
    cap: Amount,
    rules: z.array(Rule).max(50),
    /** How many days of history the figures cover, by kind of data. */
    windows: z.strictObject({
      transactions_days: Days,
      balance_days: Days,
      invoices_days: Days,
      activity_days: Days,
      repayments_days: Days,
    }),
    /** A day on which an account holds less than this counts as a low-cash day. */
    low_cash_below: z.int().min(0),
    /** Turnover is averaged over at least this many 30-day months; missing months count as 0. */
    turnover_months_min: z.int().min(1).max(12).default(TURNOVER_MONTHS_MIN),
    /** A calendar month with less income than this does not count as a month with income. */
    income_month_from: z.int().min(1).default(INCOME_MONTH_FROM),
    /** Days past due from which a repayment counts as late. */
    late_from_days: z.int().min(1).max(365),
    /** Data up to this age renews a line's term. */
    fresh_days: Days,
    reassess_days: Days,
    /** Overrides above this need two operators, unless they lower or shorten the current one. */
    four_eyes_above: Amount,
    /** The yearly turnover at which each segment starts. */
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
  .refine(({ base, cap }) => !(base > cap), {
    ...evenWhenInvalid,
    path: ['base'],
    message: 'is above cap',
  })
  .refine(({ rules }) => new Set(rules.map(rule => rule.name)).size === rules.length, {
    path: ['rules'],
    message: 'has two rules of one name',
  })
export type ScorecardRules = z.infer<typeof ScorecardRules>
export type Segment = ScorecardRules['segments'][number]['segment']

/**
 * Whether a rule never adds more for a worse figure. Below its first step a rule adds 0, which
 * matters unless that step starts at the lowest possible value.
 */
export function isMonotone({ figure, steps }: ScorecardRules['rules'][number]): boolean {
  const { better, least }: FigureKind = SCORECARD_FIGURES[figure]
  const reachable = least === null || steps[0]!.from > least ? [0] : []
  const adds = [...reachable, ...steps.map(step => step.adds)]
  const ordered = better === 'higher' ? adds : adds.toReversed()
  return ordered.every((amount, i) => i === 0 || ordered[i - 1]! <= amount)
}

/** Rules of a new scorecard, in which a worse figure must never raise the limit. */
const NewRules = ScorecardRules.superRefine(({ rules }, context) => {
  for (const [index, rule] of rules.entries()) {
    if (isMonotone(rule)) continue
    const message = `adds more for a worse ${rule.figure}`
    context.addIssue({ code: 'custom', path: ['rules', index, 'steps'], message })
  }
})

/** A scorecard as described in an operator's file. */
export const NewScorecard = z.strictObject({
  version: z.string().regex(/^[a-z0-9][a-z0-9.-]{2,49}$/, 'has other characters than a-z 0-9 . -'),
  in_force_from: z.iso.date(),
  reason: text(500),
  rules: NewRules,
})
export type NewScorecard = z.infer<typeof NewScorecard>
