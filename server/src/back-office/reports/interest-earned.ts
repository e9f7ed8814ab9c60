/** Interest earned by month, product and partner: by accrual, and as booked. */
import { type RawBuilder, sql } from 'kysely'
import { centDaysTo, stepsUntil } from '../../credit/loans/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { addDays, type Day } from '../../platform/kit/dates.ts'
import { within } from '../../platform/ledger/index.ts'
import { type Reader, type Reconciled, type ReportParameters, type Row, sumOf } from './report.ts'
import { trialBalanceOf } from './trial-balance.ts'

/** Cents; the partner's mark-up is separate from the lender's interest. */
interface Booked extends Row {
  month: string
  partner_id: string
  product: string
  interest_booked: bigint
  mark_up_booked: bigint
}

interface Earned extends Booked {
  interest_by_days: bigint
  mark_up_by_days: bigint
}

/** Interest accrued on a group of loans before `on_day`. */
interface Total {
  partner_id: string
  product: string
  /** Whether the principal of these loans is repaid. */
  is_finished: boolean
  on_day: Day
  interest: bigint
  mark_up: bigint
}

export const readInterestEarned: Reader = async (tx, parameters) => {
  const tomorrow = addDays(tx.today, 1)
  const totals = await readTotals(tx, parameters, tomorrow)
  const rows = rowsOf(parameters, totals, await readBooked(tx, parameters))
  return {
    columns: {
      month: 'month',
      partner_id: 'partner',
      product: 'word',
      interest_by_days: 'cents',
      interest_booked: 'cents',
      mark_up_by_days: 'cents',
      mark_up_booked: 'cents',
    },
    rows: [rows],
    reconcile: async () => {
      const finished = totals.filter(of => of.is_finished && of.on_day === tomorrow)
      return [
        ...(await reconcileInterest(tx, parameters, rows)),
        {
          with: 'all that is booked of loans repaid by now',
          reported: sumOf(finished, 'interest') + sumOf(finished, 'mark_up'),
          found: await bookedOfFinished(tx, parameters),
        },
      ]
    },
  }
}

/** One row per month, partner and product with anything accrued or booked. */
function rowsOf(
  parameters: ReportParameters,
  totals: readonly Total[],
  booked: readonly Booked[],
): Earned[] {
  const rows = new Map<string, Earned>()
  const rowOf = (month: string, { partner_id, product }: Pick<Total, 'partner_id' | 'product'>) => {
    const key = [month, partner_id, product].join(' ')
    const none = { interest_by_days: 0n, mark_up_by_days: 0n }
    const fresh = { month, partner_id, product, ...none, interest_booked: 0n, mark_up_booked: 0n }
    const row = rows.get(key) ?? fresh
    rows.set(key, row)
    return row
  }
  // A month is the difference of two totals: up to its end, less up to its start.
  for (const { month, begin, end } of monthsOf(parameters)) {
    for (const total of totals) {
      const sign = total.on_day === end ? 1n : total.on_day === begin ? -1n : 0n
      if (sign === 0n) continue
      const row = rowOf(month, total)
      row.interest_by_days += sign * total.interest
      row.mark_up_by_days += sign * total.mark_up
    }
  }
  for (const of of booked) {
    const { interest_booked, mark_up_booked } = of
    Object.assign(rowOf(of.month, of), { interest_booked, mark_up_booked })
  }
  const nonzero = [...rows].filter(([, row]) => FIGURES.some(figure => row[figure] !== 0n))
  return nonzero.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

const FIGURES = [
  ...(['interest_by_days', 'mark_up_by_days'] as const),
  ...(['interest_booked', 'mark_up_booked'] as const),
]

/**
 * Interest accrued by day, on the principal outstanding at the end of each day as known today. Each
 * loan's total up to a day is rounded once; for repaid loans, the total up to `tomorrow` is all
 * they earned.
 */
function readTotals(tx: Tx, parameters: ReportParameters, tomorrow: Day): Promise<Total[]> {
  const ends = monthsOf(parameters).map(({ end }) => end)
  const days = [...new Set([parameters.from, ...ends, tomorrow])]
  const exact = days.map(day => centDaysTo(sql`${day}::date`))
  return tx.all(sql<Total>`
    with exact as (
      select s.partner_id, s.loan_id, array[${sql.join(exact)}]::bigint[] as to_days
      from ${stepsUntil()} s group by 1, 2)
    select l.partner_id, l.loan_type as product, l.principal_repaid_on is not null as is_finished,
      d.on_day, sum(interest_cents(d.exact * l.rate_ppm))::bigint as interest,
      sum(interest_cents(d.exact * l.mark_up_ppm))::bigint as mark_up
    from loans l join exact e on e.partner_id = l.partner_id and e.loan_id = l.id,
      unnest(${days}::date[], e.to_days) as d (on_day, exact)
    where ${overlapping(parameters)} group by 1, 2, 3, 4`)
}

function readBooked(tx: Tx, parameters: ReportParameters): Promise<Booked[]> {
  const { by, from, to, partner_id } = parameters
  const day = by === 'value' ? sql`e.value_on` : sql`e.booked_at at time zone 'Europe/Paris'`
  return tx.all(sql<Booked>`
    select to_char(${day}, 'YYYY-MM') as month, l.partner_id, l.loan_type as product,
      coalesce(-sum(p.amount) filter (where a.code = 'interest_income'), 0)::bigint
        as interest_booked,
      coalesce(-sum(p.amount) filter (where a.code = 'partner_share'), 0)::bigint as mark_up_booked
    from ledger_entries e
    join ledger_postings p on p.partner_id = e.partner_id and p.entry_id = e.id
    join ledger_accounts a on a.partner_id = p.partner_id and a.id = p.account_id
    join loans l on l.partner_id = e.partner_id and l.id = a.owner_id
    where ${within({ by, from, on: to })} and a.code in ('interest_income', 'partner_share')
      and e.kind not in ('partner_share', 'partner_share_returned')
      and (${partner_id}::uuid is null or l.partner_id = ${partner_id})
    group by 1, 2, 3`)
}

/** Loans outstanding at any time between the two days. */
function overlapping({ from, to, partner_id }: ReportParameters): RawBuilder<boolean> {
  return sql`l.paid_out_on <= ${to}::date
    and (l.principal_repaid_on is null or l.principal_repaid_on >= ${from}::date)
    and (${partner_id}::uuid is null or l.partner_id = ${partner_id})`
}

interface Month {
  readonly month: string
  readonly begin: Day
  /** The day after the month's last one. */
  readonly end: Day
}

/** The months of the period; the first and last may be partial. */
function monthsOf({ from, to }: ReportParameters): Month[] {
  const months: Month[] = []
  for (let begin = from, on = from; on <= to; on = addDays(on, 1)) {
    const end = addDays(on, 1)
    const month = on.slice(0, 7)
    if (end.slice(0, 7) === month && on !== to) continue
    months.push({ month, begin, end })
    begin = end
  }
  return months
}

/** Compares the booked amounts with the account movements between two trial balances. */
async function reconcileInterest(
  tx: Tx,
  parameters: ReportParameters,
  rows: readonly Earned[],
): Promise<Reconciled[]> {
  const { by, from, to, partner_id } = parameters
  const codes = ['interest_income', 'partner_share'] as const
  const until = await trialBalanceOf(tx, { by, on: to }, partner_id, codes)
  const before = await trialBalanceOf(tx, { by, on: addDays(from, -1) }, partner_id, codes)
  const { paid_out } = await tx.one(sql<{ paid_out: bigint }>`
    select coalesce(sum(p.amount), 0)::bigint as paid_out
    from ledger_entries e
    join ledger_postings p on p.partner_id = e.partner_id and p.entry_id = e.id
    join ledger_accounts a on a.partner_id = p.partner_id and a.id = p.account_id
    where ${within({ by, from, on: to })} and a.code = 'partner_share'
      and e.kind in ('partner_share', 'partner_share_returned')
      and (${partner_id}::uuid is null or e.partner_id = ${partner_id})`)
  return [
    {
      with: 'trial balances: interest_income',
      reported: sumOf(rows, 'interest_booked'),
      found: before.interest_income - until.interest_income,
    },
    {
      with: 'trial balances: partner_share, without what was paid out',
      reported: sumOf(rows, 'mark_up_booked'),
      found: before.partner_share - until.partner_share + paid_out,
    },
  ]
}

/** Interest and mark-up booked on loans whose principal is repaid, in cents. */
async function bookedOfFinished(tx: Tx, parameters: ReportParameters): Promise<bigint> {
  const { booked } = await tx.one(sql<{ booked: bigint }>`
    with finished as materialized (
      select l.partner_id, l.id, l.mark_up_paid_out from loans l
      where ${overlapping(parameters)} and l.principal_repaid_on is not null)
    select (select coalesce(sum(mark_up_paid_out), 0)::bigint from finished)
      - (select coalesce(sum(b.amount), 0)::bigint
        from finished l join ledger_accounts a on a.partner_id = l.partner_id and a.owner_id = l.id
          and a.code in ('interest_income', 'partner_share')
        join ledger_balances b on b.partner_id = a.partner_id and b.account_id = a.id) as booked`)
  return booked
}
