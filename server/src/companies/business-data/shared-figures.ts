/** Reads shared data and computes the figures a scorecard uses. */
import { FIGURE_MAX, type ScorecardRules } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import { addDays, daysBetween, parisDay } from '../../platform/kit/dates.ts'
import {
  type ActivityPeriod,
  type FigureRules,
  figuresOf,
  type InvoiceMonth,
  MONTH_DAYS,
  type SharedFigures,
  type SharedKinds,
  type TransactionMonth,
  wholeMonths,
} from './figures.ts'

export interface Company {
  readonly id: string
  readonly partner_id: string
  readonly company_key: string
}

type Of<T> = T & { id: string; newest: Date | null }
type Balances = Of<{ total: bigint }>

/** Figures by company `id`, read with a fixed number of statements for all companies. */
export async function readSharedFigures(
  tx: Tx,
  companies: readonly Company[],
  scorecard: ScorecardRules,
): Promise<Map<string, SharedFigures>> {
  const rules = { ...scorecard.windows, ...scorecard }
  const ever = await readEverShared(tx, companies)
  const balances = await readBalances(tx, companies, rules)
  const transactions = await readTransactions(tx, companies, rules)
  const invoices = await readInvoices(tx, companies, rules)
  const activity = await readActivity(tx, companies, rules)
  return new Map(
    companies.map(({ id }) => {
      const own = <T extends { id: string }>(rows: readonly T[]) => rows.filter(r => r.id === id)
      const rows = own<Of<object>>([...balances, ...transactions, ...invoices, ...activity])
      const data = {
        ever: own(ever)[0]!,
        balance_total: own(balances)[0]?.total ?? 0n,
        transactions: own(transactions),
        invoices: own(invoices),
        activity: own(activity),
        data_age_days: ageOf(tx, rows),
      }
      return [id, figuresOf(data, rules, tx.today)]
    }),
  )
}

function ageOf(tx: Tx, rows: readonly Of<object>[]): number | null {
  const moments = rows.flatMap(({ newest }) => (newest ? [newest.getTime()] : []))
  if (moments.length === 0) return null
  return Math.max(0, daysBetween(parisDay(new Date(Math.max(...moments))), tx.today))
}

function companiesTable(companies: readonly Company[]) {
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

function dayOf(moment: RawBuilder<unknown>) {
  return sql`(${moment} at time zone 'Europe/Paris')::date`
}

/**
 * A sum limited to the range of figures; 0 without rows. The inner `coalesce` matters: `least` and
 * `greatest` ignore nulls, so a null sum would become the upper bound.
 */
function bounded(sum: RawBuilder<unknown>) {
  return sql`least(greatest(coalesce(${sum}, 0), ${-FIGURE_MAX}), ${FIGURE_MAX})::bigint`
}

async function readEverShared(tx: Tx, companies: readonly Company[]) {
  const any = (table: string, more = sql`true`) =>
    sql`exists (select from ${sql.table(table)} s where ${ofThem()} and ${more})`
  return tx.all(sql<SharedKinds & { id: string }>`
    select c.id, ${any('shared_accounts')} as accounts,
      ${any('shared_transactions')} as transactions,
      ${any('shared_transactions', sql`s.settled_balance is not null`)} as balances,
      ${any('shared_invoices', sql`s.direction = 'receivable'`)} as invoices,
      ${any('shared_activity')} as activity
    from ${companiesTable(companies)}`)
}

/**
 * Takes the latest balance of each account number, even if it was shared under several ids. A
 * balance that is no longer updated counts only if negative.
 */
async function readBalances(tx: Tx, companies: readonly Company[], { balance_days }: FigureRules) {
  const recent = sql`s.last_updated_at >= ${since(tx, balance_days)}`
  return tx.all(sql<Balances>`
    select c.id, ${bounded(sql`sum(s.amount)`)} as total, max(s.received_at) as newest
    from ${companiesTable(companies)} cross join lateral (
      select distinct on (account) case when ${recent} then s.amount else least(s.amount, 0) end
          as amount, case when ${recent} then s.received_at end as received_at
      from shared_accounts s cross join lateral (select coalesce(nullif(
        upper(regexp_replace(s.account_number, '\\s', '', 'g')), ''), 'id ' || s.account_id))
        as n (account)
      where ${ofThem()}
      order by account, s.last_updated_at desc, s.amount) s
    group by c.id`)
}

/**
 * Borrowed money is not income, recalled payments reduce income, and only EUR counts. A day counts
 * as low if any balance on it was low, even that of a transaction removed since, or if it has
 * transactions but no balance.
 */
async function readTransactions(tx: Tx, companies: readonly Company[], rules: FigureRules) {
  const type = sql`coalesce(s.operation_type, 'other')`
  const income = sql`case
    when s.amount > 0 and ${type} not in
      ('financing_installment', 'pay_later', 'recall', 'direct_debit_hold') then s.amount
    when s.amount < 0 and ${type} = 'recall' then s.amount else 0 end`
  const day = dayOf(sql`s.at`)
  const counts = sql`s.state = 'completed'`
  const months = wholeMonths(rules.transactions_days)
  return tx.all(sql<Of<TransactionMonth>>`
    select id, (${tx.today}::date - day) / ${MONTH_DAYS} as month,
      to_char(day, 'YYYY-MM') as calendar_month, ${bounded(sql`sum(income)`)} as income,
      sum(balances)::int as balances,
      count(*) filter (where is_low or rows > 0 and balances = 0)::int as low_days,
      max(newest) as newest
    from (
      select c.id, ${day} as day, sum(${income}) filter (where ${counts}) as income,
        count(*) filter (where ${counts}) as rows,
        count(s.settled_balance) filter (where ${counts}) as balances,
        coalesce(bool_or(s.settled_balance < ${rules.low_cash_below}), false) as is_low,
        max(s.received_at) filter (where ${counts}) as newest
      from ${companiesTable(companies)} join shared_transactions s on ${ofThem()}
      where s.at between ${since(tx, months * MONTH_DAYS + 1)} and ${tx.now}::timestamptz
        and ${day} > ${addDays(tx.today, -months * MONTH_DAYS)}::date and s.currency = 'EUR'
      group by c.id, day) days
    where rows > 0 or is_low
    group by id, month, calendar_month`)
}

/**
 * An invoice is overdue from the day after its due date. The overdue part is not turnover, and
 * still counts as overdue after the invoice has left the window.
 */
async function readInvoices(tx: Tx, companies: readonly Company[], rules: FigureRules) {
  const issued_on = dayOf(sql`s.issued_at`)
  const overdue = sql`case when ${dayOf(sql`s.due_at`)} < ${tx.today}::date
    then greatest(s.to_pay_amount, 0) else 0 end`
  const months = wholeMonths(rules.invoices_days)
  const first = addDays(tx.today, 1 - months * MONTH_DAYS)
  return tx.all(sql<Of<InvoiceMonth>>`
    select c.id, case when n.recent then (${tx.today}::date - ${issued_on}) / ${MONTH_DAYS} end
        as month,
      ${bounded(sql`sum(case when n.recent then s.total_amount - n.overdue else 0 end)`)}
        as invoiced,
      ${bounded(sql`sum(case when n.recent then s.total_amount else n.overdue end)`)} as issued,
      ${bounded(sql`sum(n.overdue)`)} as overdue,
      max(s.received_at) filter (where n.recent) as newest
    from ${companiesTable(companies)} join shared_invoices s on ${ofThem()}
    cross join lateral (select ${overdue} as overdue, ${issued_on} >= ${first}::date as recent) n
    where s.issued_at <= ${tx.now}::timestamptz and (n.recent or n.overdue > 0)
      and s.direction = 'receivable' and s.currency = 'EUR'
    group by c.id, month`)
}

async function readActivity(tx: Tx, companies: readonly Company[], rules: FigureRules) {
  return tx.all(sql<Of<ActivityPeriod>>`
    select c.id, s.kind, s.from_on, s.to_on, s.amount, s.received_at as newest
    from ${companiesTable(companies)} join shared_activity s on ${ofThem()}
    where s.to_on > ${addDays(tx.today, -rules.activity_days)}::date and s.to_on <= ${tx.today}`)
}
