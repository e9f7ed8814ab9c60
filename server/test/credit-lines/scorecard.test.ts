/** The database's scorecards: their results, their bounds, and the rules for changing them. */
import {
  FIGURE_MAX,
  isMonotone,
  NewScorecard,
  SCORECARD_FIGURES,
  type ScorecardFigure,
  ScorecardRules,
} from '@headroom/contract'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  assess,
  companyFigures,
  type Figures,
  segmentOf,
} from '../../src/companies/credit-lines/scorecard.ts'
import type { Company } from '../../src/integrations/ports/registry.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { testDatabase } from '../support/database.ts'

const company: Company = {
  identifier: '732829320',
  identifier_type: 'siren',
  country: 'FR',
  name: 'Boulangerie Moreau',
  legal_form: 'SAS',
  vat_number: 'FR44732829320',
  address: {},
  activity_description: null,
  nace_code: null,
  creation_date: '2021-11-21',
  share_capital: 1_000_000,
  is_active: true,
  insolvent_since: null,
}

const scorecards = new Map<string, ScorecardRules>()
const ofMode = (mode: 'sandbox' | 'live') => scorecards.get(`${mode}-2026-12`)!
const pool = (mode: 'sandbox' | 'live', inputs: Figures) =>
  assess(ofMode(mode), { is_active: true, ...inputs }).pool_amount

beforeAll(async () => {
  const database = await testDatabase('migrated')
  const { rows } = await database.query('select version, rules from scorecards')
  for (const { version, rules } of rows) scorecards.set(version, rules)
})

test('the stored scorecards are valid input for an operator', () => {
  expect(scorecards.size).toBeGreaterThan(0)
  for (const rules of scorecards.values()) expect(ScorecardRules.parse(rules)).toMatchObject(rules)
  const rules = ofMode('sandbox')
  const [rule] = rules.rules
  const low = { base: 2, cap: 1 }
  const wrong = { ...rules, ...low, rules: [rule, { ...rule, figure: 'mood' }] }
  const faults = ScorecardRules.safeParse(wrong).error!.issues.map(issue => issue.path.join('.'))
  expect(faults).toEqual(['rules.1.figure', 'base'])
})

describe('no rule of a new scorecard rewards a worse figure', () => {
  const input = { version: 'another', in_force_from: '2027-01-01', reason: 'Risk' }
  const faultsOf = (rule: object) => {
    const rules = { ...ofMode('sandbox'), rules: [{ name: 'one', ...rule }] }
    const read = NewScorecard.safeParse({ ...input, rules })
    return read.success ? [] : read.error.issues.map(issue => issue.message)
  }

  test('those in force can be submitted again', () => {
    for (const mode of ['sandbox', 'live'] as const) {
      expect(NewScorecard.parse({ ...input, rules: ofMode(mode) }).rules).toEqual(ofMode(mode))
    }
    expect(scorecards.get('sandbox-2026-11')!.rules.every(isMonotone)).toBe(false)
  })

  test.each([
    ['turnover_monthly', [0, -5], [100, -7]],
    ['overdue_ppm', [0, -5], [100, -4]],
    ['overdue_ppm', [1, 5]],
    // Below the first step a figure adds 0, more than the -5 of that step.
    ['balance_total', [0, -5], [100, 0]],
    // A company of unknown age would score better than a young one.
    ['age_days', [0, -5], [365, 0]],
  ] as const)('%s that adds %j', (figure, ...pairs) => {
    const steps = pairs.map(([from, adds]) => ({ from, adds }))
    expect(faultsOf({ figure, steps })).toEqual([`adds more for a worse ${figure}`])
  })
})

const FIGURES = Object.keys(SCORECARD_FIGURES) as ScorecardFigure[]
const anyInputs: fc.Arbitrary<Record<string, number | boolean | null>> = fc.record({
  is_active: fc.boolean(),
  ...Object.fromEntries(
    FIGURES.map(name => [name, fc.option(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }))]),
  ),
})

test('the sandbox grants €50,000 to every active company without shared data', () => {
  const inputs = companyFigures(company, day('2026-11-21'))
  expect(inputs).toEqual({ is_active: true, age_days: 1826, share_capital: 1_000_000 })
  expect(pool('sandbox', inputs)).toBe(5_000_000n)
  expect(pool('sandbox', { ...inputs, is_active: false })).toBe(0n)
  const unknown = companyFigures(
    { ...company, creation_date: null, share_capital: null },
    day('2026-11-21'),
  )
  expect(unknown).toEqual({ is_active: true, age_days: null, share_capital: null })
})

test('data raises and lowers the limit, never above €200,000', () => {
  expect(pool('sandbox', { turnover_monthly: 100_000 })).toBe(2_500_000n)
  expect(pool('sandbox', { turnover_monthly: 2_000_000 })).toBe(5_000_000n)
  expect(pool('sandbox', { turnover_monthly: 12_000_000, balance_total: 2_000_000 })).toBe(
    14_000_000n,
  )
  const best = { turnover_monthly: 10 ** 9, balance_total: 10 ** 9, repaid_on_time_amount: 10 ** 9 }
  expect(pool('sandbox', { ...best, months_with_income: 6 })).toBe(20_000_000n)
  const worst = { turnover_monthly: 0, balance_total: -1, low_cash_days: 99, overdue_ppm: 10 ** 6 }
  expect(pool('sandbox', { ...worst, repaid_late: 9, months_with_income: 0 })).toBe(0n)
})

test('the live scorecard considers age and capital too', () => {
  expect(pool('live', {})).toBe(500_000n)
  expect(pool('live', { age_days: 364 })).toBe(500_000n)
  expect(pool('live', { age_days: 365 })).toBe(1_000_000n)
  expect(pool('live', { age_days: 5 * 365, share_capital: 10_000_000 })).toBe(5_500_000n)
})

describe('for any input', () => {
  test('a limit is the sum of its rules, between 0 and the cap, and can be recomputed', () => {
    fc.assert(
      fc.property(fc.constantFrom('sandbox', 'live'), anyInputs, (mode, inputs) => {
        const rules = ofMode(mode)
        const { pool_amount, steps } = assess(rules, inputs)
        const sum = steps.reduce((total, step) => total + step.adds, rules.base)
        expect(pool_amount).toBe(BigInt(Math.min(Math.max(sum, 0), 20_000_000)))
        if (!inputs.is_active) expect(pool_amount).toBe(0n)
        expect(assess(rules, JSON.parse(JSON.stringify(inputs)))).toEqual({ pool_amount, steps })
      }),
    )
  })

  test.each(FIGURES)('a worse %s never raises the limit', figure => {
    const { better, least } = SCORECARD_FIGURES[figure]
    const values = fc.integer({ min: least ?? -FIGURE_MAX, max: FIGURE_MAX })
    // A value missing from the registry counts as the worst.
    const any = least === null ? fc.option(values) : values
    // Values near the steps, which random values would rarely hit.
    const froms = ['sandbox', 'live'].flatMap(mode => {
      const rules = ofMode(mode as 'live').rules.filter(rule => rule.figure === figure)
      return rules.flatMap(rule => rule.steps.map(step => step.from))
    })
    const near = fc.constantFrom(0, ...froms).chain(from => {
      return fc.integer({ min: Math.max(from - 2, least ?? -FIGURE_MAX), max: from + 2 })
    })
    const modes = fc.constantFrom('sandbox' as const, 'live' as const)
    fc.assert(
      fc.property(modes, anyInputs, fc.oneof(any, near), fc.oneof(any, near), (mode, ...rest) => {
        const [inputs, a, b] = rest
        const rank = (value: number | null) =>
          value === null ? -Infinity : better === 'higher' ? value : -value
        const [worse, good] = rank(a) <= rank(b) ? [a, b] : [b, a]
        const limit = (value: number | null) =>
          assess(ofMode(mode), { ...inputs, [figure]: value }).pool_amount
        expect(limit(worse)).toBeLessThanOrEqual(limit(good))
      }),
      { numRuns: 300 },
    )
  })
})

test('segments follow the yearly turnover', () => {
  const rules = ofMode('sandbox')
  expect(segmentOf(rules, null)).toBeNull()
  expect(segmentOf(rules, 0)).toBe('CAT1')
  expect(segmentOf(rules, 20_000_000)).toBe('CAT2')
  expect(segmentOf(rules, 100_000_000)).toBe('CAT3')
  expect(segmentOf(rules, 500_000_000)).toBe('CAT4')
})
