/**
 * Figures from shared data: unknown does not count as good, and worse data never improves a figure.
 */
import { SCORECARD_FIGURES, type ScorecardFigure } from '@headroom/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ActivityPeriod,
  activityMonths,
  type FigureRules,
  figuresOf,
  monthlyAverage,
  type SharedData,
} from '../../src/companies/business-data/figures.ts'
import { addDays, day } from '../../src/platform/kit/dates.ts'

const TODAY = day('2026-11-21')
const RULES: FigureRules = {
  transactions_days: 180,
  balance_days: 90,
  invoices_days: 180,
  activity_days: 365,
  low_cash_below: 50_000,
  turnover_months_min: 3,
  income_month_from: 50_000,
}
const NOTHING: SharedData = {
  ever: {
    accounts: false,
    transactions: false,
    balances: false,
    invoices: false,
    activity: false,
  },
  balance_total: 0n,
  transactions: [],
  invoices: [],
  activity: [],
  data_age_days: null,
}
const ALL = { accounts: true, transactions: true, balances: true, invoices: true, activity: true }
const of = (data: Partial<SharedData>) => figuresOf({ ...NOTHING, ...data }, RULES, TODAY)

test('data that was never shared is unknown', () => {
  expect(new Set(Object.values(of({})))).toEqual(new Set([null]))
})

test('outdated data counts as missing, or as the worst', () => {
  expect(of({ ever: ALL })).toEqual({
    balance_total: 0,
    income_monthly: 0,
    months_with_income: 0,
    low_cash_days: 180,
    invoiced_monthly: 0,
    overdue_ppm: 1_000_000,
    activity_monthly: 0,
    turnover_monthly: 0,
    data_age_days: null,
  })
})

test('the average takes at least three months, and the best such period that ends today', () => {
  expect(monthlyAverage([], 3)).toBe(0)
  expect(monthlyAverage([90n], 3)).toBe(30)
  expect(monthlyAverage([90n, 30n, 30n], 3)).toBe(50)
  expect(monthlyAverage([30n, 30n, 30n, 110n], 3)).toBe(50)
  expect(monthlyAverage([30n, 30n, 30n, undefined, 10n], 3)).toBe(30)
  expect(monthlyAverage([-90n], 3)).toBe(0)
})

test('overlapping periods are not added up', () => {
  const month = (back: number, amount: bigint): ActivityPeriod => {
    const to_on = addDays(TODAY, -back)
    return { kind: 'SALES', from_on: addDays(to_on, -29), to_on, amount }
  }
  expect(activityMonths([month(0, 3000n)], RULES, TODAY).slice(0, 2)).toEqual([3000n, 0n])
  const daily = Array.from({ length: 30 }, (_, back) => month(back, 3000n))
  expect(activityMonths(daily, RULES, TODAY).slice(0, 3)).toEqual([3000n, 2900n, 0n])
  expect(activityMonths([month(0, 3000n), month(0, 600n)], RULES, TODAY)[0]).toBe(3000n)
  const long = { ...month(0, 0n), from_on: addDays(TODAY, -3649), amount: 365_000n }
  expect(activityMonths([long], RULES, TODAY)).toEqual(new Array(12).fill(3000n))
})

const cents = fc.bigInt({ min: 0n, max: 10n ** 9n })
const signed = fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n })
const transactions = fc.array(
  fc.record({
    month: fc.nat(5),
    income: signed,
    balances: fc.nat(9),
    low_days: fc.nat(30),
    calendar_month: fc.constantFrom('2026-06', '2026-07', '2026-08', '2026-09', '2026-10'),
  }),
  { maxLength: 8 },
)
const invoices = fc.array(
  fc
    .record({ month: fc.option(fc.nat(5)), paid: cents, overdue: cents })
    .map(({ month, paid, overdue }) => ({
      month,
      overdue,
      invoiced: month === null ? 0n : paid,
      issued: month === null ? overdue : paid + overdue,
    })),
  { maxLength: 8 },
)
const activity = fc.array(
  fc
    .record({
      kind: fc.constantFrom('SALES', 'PLATFORM'),
      ago: fc.nat(400),
      days: fc.nat(120),
      amount: cents,
    })
    .map(({ kind, ago, days, amount }) => {
      const to_on = addDays(TODAY, -ago)
      return { kind, from_on: addDays(to_on, -days), to_on, amount }
    }),
  { maxLength: 5 },
)
const anyData: fc.Arbitrary<SharedData> = fc.record({
  ever: fc.constant(ALL),
  balance_total: signed,
  transactions,
  invoices,
  activity,
  data_age_days: fc.nat(400),
})

/** Each function worsens the data in one way; `i` chooses the row, `by` the amount. */
const WORSE: Record<string, (data: SharedData, i: number, by: bigint) => SharedData> = {
  'a lower balance': (data, _i, by) => ({ ...data, balance_total: data.balance_total - by }),
  'less income': (data, i, by) => ({
    ...data,
    transactions: change(data.transactions, i, row => ({ ...row, income: row.income - by })),
  }),
  'later income': (data, i) => ({
    ...data,
    transactions: change(data.transactions, i, row => {
      return row.income < 0n ? row : { ...row, month: Math.min(row.month + 1, 5) }
    }),
  }),
  'a month less': (data, i) => ({
    ...data,
    transactions: change(data.transactions, i, row => {
      return { ...row, income: row.income < 0n ? row.income : 0n }
    }),
  }),
  'more days of low cash': (data, i, by) => ({
    ...data,
    transactions: change(data.transactions, i, row => {
      return { ...row, low_days: row.low_days + Number(by % 9n) }
    }),
  }),
  'a balance withheld': (data, i) => ({
    ...data,
    transactions: change(data.transactions, i, row => ({
      ...row,
      balances: Math.max(0, row.balances - 1),
      // Assumes the worst: it was the only balance of its day.
      low_days: row.low_days + (row.balances > 0 ? 1 : 0),
    })),
  }),
  'fewer invoices': (data, i) => ({
    ...data,
    invoices: data.invoices.filter((row, at) => at !== i || row.overdue > 0n),
  }),
  'an invoice that falls overdue': (data, i, by) => ({
    ...data,
    invoices: change(data.invoices, i, row => {
      const late = by < row.invoiced ? by : row.invoiced
      return { ...row, invoiced: row.invoiced - late, overdue: row.overdue + late }
    }),
  }),
  'another invoice, overdue': (data, i, by) => ({
    ...data,
    invoices: [...data.invoices, { month: i % 6, invoiced: 0n, issued: by, overdue: by }],
  }),
  'less activity': (data, i, by) => ({
    ...data,
    activity: change(data.activity, i, row => ({
      ...row,
      amount: row.amount > by ? row.amount - by : 0n,
    })),
  }),
  'a period less': (data, i) => ({ ...data, activity: data.activity.filter((_, at) => at !== i) }),
}

function change<Row>(rows: readonly Row[], i: number, made: (row: Row) => Row): Row[] {
  return rows.map((row, at) => (at === i ? made(row) : row))
}

describe('worse data never improves a figure', () => {
  test.each(Object.entries(WORSE))('%s', (_name, worsen) => {
    fc.assert(
      fc.property(anyData, fc.nat(7), cents, (data, i, by) => {
        const [before, after] = [
          figuresOf(data, RULES, TODAY),
          figuresOf(worsen(data, i, by), RULES, TODAY),
        ]
        for (const [name, value] of Object.entries(before)) {
          const { better } = SCORECARD_FIGURES[name as ScorecardFigure]
          const sign = better === 'higher' ? 1 : -1
          const now = after[name as keyof typeof after]
          expect(sign * now!, name).toBeLessThanOrEqual(sign * value!)
        }
      }),
    )
  })
})
