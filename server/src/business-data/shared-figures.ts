/** What shared data say of companies, as figures that a scorecard reads. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { daysBetween, parisDay } from '../kit/dates.ts'
import { share } from '../kit/money.ts'

/** How far back is looked, in days, and below which cents cash is low: the scorecard's. */
export interface Windows {
  readonly transactions_days: number
  readonly balance_days: number
  readonly invoices_days: number
  readonly activity_days: number
}

/** Amounts are cents, a month 30 days; null where nothing was shared that could tell. */
export type SharedFigures = {
  balance_total: number | null
  income_monthly: number | null
  months_with_income: number | null
  low_cash_days: number | null
  invoiced_monthly: number | null
  overdue_ppm: number | null
  activity_monthly: number | null
  /** The highest of what comes in, what is invoiced and what activity was told. */
  turnover_monthly: number | null
  /** Days since the youngest of the data came. */
  data_age_days: number | null
}

export interface Company {
  readonly id: string
  readonly partner_id: string
  readonly company_key: string
}

const MONTH_DAYS = 30n
/** Far more than any company turns over, and exact on the wire whatever was shared. */
const AMOUNT_MAX = 1_000_000_000_000_000n

type Balances = { id: string; total: bigint; newest: Date }
type Transactions = {
  id: string
  income: bigint
  months: number
  balances: number
  low_days: number
  first: Date
  newest: Date
}
type Invoices = { id: string; invoiced: bigint; overdue: bigint; first: Date; newest: Date }
type Activity = { id: string; amount: bigint; days: number; newest: Date }

/** Figures of companies by their `id`, each from statements that serve all of them. */
export async function readSharedFigures(
  tx: Tx,
  companies: readonly Company[],
  windows: Windows,
  low_cash_below: number,
): Promise<Map<string, SharedFigures>> {
  const [balances, transactions, invoices, activity] = await Promise.all([
    readBalances(tx, companies, windows.balance_days),
    readTransactions(tx, companies, windows.transactions_days, low_cash_below),
    readInvoices(tx, companies, windows.invoices_days),
    readActivity(tx, companies, windows.activity_days),
  ])
  return new Map(
    companies.map(({ id }) => {
      const of = <T extends { id: string }>(rows: T[]) => rows.find(row => row.id === id)
      const active = activity.filter(row => row.id === id)
      return [id, figuresOf(tx, of(balances), of(transactions), of(invoices), active)]
    }),
  )
}

function figuresOf(
  tx: Tx,
  balances: Balances | undefined,
  transactions: Transactions | undefined,
  invoices: Invoices | undefined,
  activity: readonly Activity[],
): SharedFigures {
  const income_monthly = transactions
    ? aMonth(transactions.income, daysSince(tx, transactions.first))
    : null
  const invoiced_monthly = invoices
    ? aMonth(invoices.invoiced, daysSince(tx, invoices.first))
    : null
  const activities = activity.map(({ amount, days }) => aMonth(amount, days))
  const activity_monthly = activities.length > 0 ? Math.max(...activities) : null
  const turnovers = [income_monthly, invoiced_monthly, activity_monthly].filter(v => v !== null)
  const newest = [balances, transactions, invoices, ...activity].flatMap(row =>
    row ? [row.newest.getTime()] : [],
  )
  return {
    balance_total: balances ? figure(balances.total) : null,
    income_monthly,
    months_with_income: transactions ? transactions.months : null,
    low_cash_days: transactions && transactions.balances > 0 ? transactions.low_days : null,
    invoiced_monthly,
    overdue_ppm: invoices ? overduePart(invoices) : null,
    activity_monthly,
    turnover_monthly: turnovers.length > 0 ? Math.max(...turnovers) : null,
    data_age_days: newest.length > 0 ? daysSince(tx, new Date(Math.max(...newest))) - 1 : null,
  }
}

/** Days from a moment to today, both counted. */
function daysSince(tx: Tx, moment: Date): number {
  return Math.max(1, daysBetween(parisDay(moment), tx.today) + 1)
}

/** What a month brings of what came in so many days; less than a month counts as one. */
function aMonth(amount: bigint, days: number): number {
  const span = BigInt(days) > MONTH_DAYS ? BigInt(days) : MONTH_DAYS
  return figure(share(amount, MONTH_DAYS, span))
}

function overduePart({ invoiced, overdue }: Invoices): number {
  if (invoiced <= 0n) return overdue > 0n ? 1_000_000 : 0
  const part = figure(share(overdue, 1_000_000n, invoiced))
  return Math.min(Math.max(part, 0), 1_000_000)
}

function figure(amount: bigint): number {
  if (amount > AMOUNT_MAX) return Number(AMOUNT_MAX)
  return amount < -AMOUNT_MAX ? -Number(AMOUNT_MAX) : Number(amount)
}

/** The companies that are asked about, as `c`. */
function asked(companies: readonly Company[]) {
  return sql`unnest(${companies.map(c => c.id)}::uuid[],
    ${companies.map(c => c.partner_id)}::uuid[], ${companies.map(c => c.company_key)}::text[])
    as c (id, partner_id, company_key)`
}

function ofThem() {
  return sql`s.partner_id = c.partner_id
    and s.company_key = c.company_key`
}

function since(tx: Tx, days: number) {
  return sql`${tx.now}::timestamptz - make_interval(days => ${days}::int)`
}

async function readBalances(tx: Tx, companies: readonly Company[], days: number) {
  return tx.all(sql<Balances>`
    select c.id, least(sum(s.amount), ${AMOUNT_MAX})::bigint as total,
      max(s.received_at) as newest
    from ${asked(companies)} join shared_accounts s on ${ofThem()}
    where s.last_updated_at >= ${since(tx, days)}
    group by c.id`)
}

/** Money that was borrowed is no income; other currencies are not reckoned with. */
async function readTransactions(
  tx: Tx,
  companies: readonly Company[],
  days: number,
  low_cash_below: number,
) {
  const earned = sql`s.amount > 0 and coalesce(s.operation_type, 'other') not in
    ('financing_installment', 'pay_later', 'recall', 'direct_debit_hold')`
  return tx.all(sql<Transactions>`
    select c.id,
      coalesce(least(sum(s.amount) filter (where ${earned}), ${AMOUNT_MAX}), 0)::bigint as income,
      count(distinct date_trunc('month', s.at at time zone 'Europe/Paris'))
        filter (where ${earned})::int as months,
      count(s.settled_balance)::int as balances,
      count(distinct (s.at at time zone 'Europe/Paris')::date)
        filter (where s.settled_balance < ${low_cash_below})::int as low_days,
      min(s.at) as first, max(s.received_at) as newest
    from ${asked(companies)} join shared_transactions s on ${ofThem()}
    where s.at between ${since(tx, days)} and ${tx.now}::timestamptz
      and s.state = 'completed' and s.currency = 'EUR'
    group by c.id`)
}

async function readInvoices(tx: Tx, companies: readonly Company[], days: number) {
  return tx.all(sql<Invoices>`
    select c.id, least(sum(s.total_amount), ${AMOUNT_MAX})::bigint as invoiced,
      coalesce(least(sum(s.to_pay_amount) filter (where s.due_at < ${tx.now}::timestamptz),
        ${AMOUNT_MAX}), 0)::bigint as overdue,
      min(s.issued_at) as first, max(s.received_at) as newest
    from ${asked(companies)} join shared_invoices s on ${ofThem()}
    where s.issued_at between ${since(tx, days)} and ${tx.now}::timestamptz
      and s.direction = 'receivable' and s.currency = 'EUR'
    group by c.id`)
}

async function readActivity(tx: Tx, companies: readonly Company[], days: number) {
  return tx.all(sql<Activity>`
    select c.id, least(sum(s.amount), ${AMOUNT_MAX})::bigint as amount,
      least(sum(s.to_on - s.from_on + 1), 1000000000)::int as days, max(s.received_at) as newest
    from ${asked(companies)} join shared_activity s on ${ofThem()}
    where s.to_on between ${tx.today}::date - ${days}::int and ${tx.today}::date
    group by c.id, s.kind`)
}
