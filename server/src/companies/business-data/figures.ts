/** Computes a scorecard's figures from the data shared about a company. Pure. */
import { FIGURE_MAX } from '@headroom/contract'
import { assert } from '../../platform/kit/assert.ts'
import { addDays, type Day, daysBetween, max, min } from '../../platform/kit/dates.ts'
import { share } from '../../platform/kit/money.ts'

/** Months are 30 days, counted backwards: month 0 ends today. */
export const MONTH_DAYS = 30

const WHOLE_PPM = 1_000_000
const MICRO = 1_000_000n

/**
 * Amounts in cents; averages are per 30 days. A figure is null if the data for it was never shared.
 * Otherwise, missing or old data counts as zero or as the worst case, so that a company gains
 * nothing by no longer sharing it.
 */
export type SharedFigures = {
  balance_total: number | null
  income_monthly: number | null
  months_with_income: number | null
  low_cash_days: number | null
  invoiced_monthly: number | null
  overdue_ppm: number | null
  activity_monthly: number | null
  /** The highest of income, invoiced amount and reported activity. */
  turnover_monthly: number | null
  /** Days since the last arrival of data that is still recent; null if none is. */
  data_age_days: number | null
}

/** A scorecard's parameters for the figures; amounts in cents. */
export interface FigureRules {
  readonly transactions_days: number
  readonly balance_days: number
  readonly invoices_days: number
  readonly activity_days: number
  readonly low_cash_below: number
  readonly turnover_months_min: number
  readonly income_month_from: number
}

/** The kinds of data ever shared about a company, however old. */
export interface SharedKinds {
  readonly accounts: boolean
  readonly transactions: boolean
  /** Transactions that report the balance after them. */
  readonly balances: boolean
  /** Invoices issued by the company. */
  readonly invoices: boolean
  readonly activity: boolean
}

/** Transactions of one 30-day month that fall in one calendar month. */
export interface TransactionMonth {
  readonly month: number
  readonly calendar_month: string
  readonly income: bigint
  /** The number of transactions that report the balance after them. */
  readonly balances: number
  /** Days with a low balance, or with transactions but no balance. */
  readonly low_days: number
}

/** Invoices issued in a 30-day month. `month` is null for older invoices that are still overdue. */
export interface InvoiceMonth {
  readonly month: number | null
  /** The invoiced amount less its overdue part. */
  readonly invoiced: bigint
  /** The base of the overdue ratio. */
  readonly issued: bigint
  readonly overdue: bigint
}

export interface ActivityPeriod {
  readonly kind: string
  readonly from_on: Day
  readonly to_on: Day
  readonly amount: bigint
}

export interface SharedData {
  readonly ever: SharedKinds
  /** The sum of recent balances and of older negative ones. */
  readonly balance_total: bigint
  readonly transactions: readonly TransactionMonth[]
  readonly invoices: readonly InvoiceMonth[]
  readonly activity: readonly ActivityPeriod[]
  readonly data_age_days: number | null
}

export function figuresOf(data: SharedData, rules: FigureRules, today: Day): SharedFigures {
  const { ever, transactions, invoices, activity } = data
  const income = ever.transactions ? monthlyOf(transactions, 'income', rules) : null
  const invoiced = ever.invoices ? monthlyOf(invoices, 'invoiced', rules) : null
  const active = ever.activity ? activityMonthly(activity, rules, today) : null
  const turnovers = [income, invoiced, active].filter(amount => amount !== null)
  return {
    balance_total: ever.accounts ? figure(data.balance_total) : null,
    income_monthly: income,
    months_with_income: ever.transactions ? incomeMonths(transactions, rules) : null,
    low_cash_days: ever.balances ? lowCashDays(transactions, rules) : null,
    invoiced_monthly: invoiced,
    overdue_ppm: ever.invoices ? overduePart(invoices) : null,
    activity_monthly: active,
    turnover_monthly: turnovers.length > 0 ? Math.max(...turnovers) : null,
    data_age_days: data.data_age_days,
  }
}

function monthlyOf<Name extends string>(
  rows: readonly ({ month: number | null } & Record<Name, bigint>)[],
  name: Name,
  { turnover_months_min }: FigureRules,
): number {
  const months: bigint[] = []
  for (const row of rows) {
    if (row.month !== null) months[row.month] = (months[row.month] ?? 0n) + row[name]
  }
  return monthlyAverage(months, turnover_months_min)
}

/**
 * The highest monthly average ending today, in cents, over the last `months_min` months or longer.
 * `months[0]` is the latest; a month without data counts as 0, since skipping it would raise the
 * average.
 */
export function monthlyAverage(
  months: readonly (bigint | undefined)[],
  months_min: number,
): number {
  assert(months_min > 0, 'turnover is averaged over at least one month')
  let [best, sum] = [0n, 0n]
  for (let count = 1; count <= Math.max(months.length, months_min); count++) {
    sum += months[count - 1] ?? 0n
    const average = count < months_min ? 0n : share(sum, 1n, BigInt(count))
    if (average > best) best = average
  }
  return figure(best)
}

function incomeMonths(rows: readonly TransactionMonth[], { income_month_from }: FigureRules) {
  const months = new Map<string, bigint>()
  for (const { calendar_month, income } of rows) {
    months.set(calendar_month, (months.get(calendar_month) ?? 0n) + income)
  }
  return [...months.values()].filter(income => income >= BigInt(income_month_from)).length
}

/**
 * The number of days on which the company was low on cash. Without any balance, every day counts.
 */
function lowCashDays(rows: readonly TransactionMonth[], { transactions_days }: FigureRules) {
  if (!rows.some(row => row.balances > 0)) return transactions_days
  return rows.reduce((days, row) => days + row.low_days, 0)
}

/** The overdue share of the invoiced amount in ppm; 1,000,000 if that amount is not positive. */
function overduePart(rows: readonly InvoiceMonth[]): number {
  const issued = rows.reduce((sum, row) => sum + row.issued, 0n)
  const overdue = rows.reduce((sum, row) => sum + row.overdue, 0n)
  if (issued <= 0n || overdue >= issued) return WHOLE_PPM
  return Number(share(overdue, BigInt(WHOLE_PPM), issued))
}

/** The highest of all kinds of activity, since each describes the same turnover. */
function activityMonthly(
  periods: readonly ActivityPeriod[],
  rules: FigureRules,
  today: Day,
): number {
  const kinds = [...new Set(periods.map(period => period.kind))]
  const averages = kinds.map(kind => {
    const own = periods.filter(period => period.kind === kind)
    return monthlyAverage(activityMonths(own, rules, today), rules.turnover_months_min)
  })
  return Math.max(0, ...averages)
}

/**
 * Spreads periods evenly over their days and sums the days by month. Where periods overlap, the
 * highest daily amount counts, so that they do not add up and another period never lowers the sum.
 */
export function activityMonths(
  periods: readonly ActivityPeriod[],
  { activity_days }: Pick<FigureRules, 'activity_days'>,
  today: Day,
): bigint[] {
  const first = addDays(today, 1 - activity_days)
  const daily: bigint[] = new Array(activity_days).fill(0n)
  for (const { from_on, to_on, amount } of periods) {
    const rate = share(amount, MICRO, BigInt(daysBetween(from_on, to_on) + 1))
    const until = daysBetween(max(from_on, first), today)
    for (let ago = Math.max(0, daysBetween(min(to_on, today), today)); ago <= until; ago++) {
      if (rate > daily[ago]!) daily[ago] = rate
    }
  }
  const months: bigint[] = []
  for (const [ago, rate] of daily.entries()) {
    const month = Math.floor(ago / MONTH_DAYS)
    months[month] = (months[month] ?? 0n) + rate
  }
  return months.slice(0, wholeMonths(activity_days)).map(sum => share(sum, 1n, MICRO))
}

/** The number of whole months in a window of `days`, at least 1. */
export function wholeMonths(days: number): number {
  return Math.max(1, Math.floor(days / MONTH_DAYS))
}

function figure(amount: bigint): number {
  if (amount > FIGURE_MAX) return FIGURE_MAX
  return amount < -FIGURE_MAX ? -FIGURE_MAX : Number(amount)
}
