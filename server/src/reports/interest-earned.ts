/** Interest earned by month, product and partner: by its days, and as it was booked. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { addDays, type Day } from '../kit/dates.ts'
import { type Span, within } from '../ledger/index.ts'
import { type Reader, type Reconciled, type Row, sumOf, type Wish } from './report.ts'
import { trialBalanceOf } from './trial-balance.ts'

/** Cents; the partner's mark-up beside the lender's interest, never in it. */
interface Earned extends Row {
  month: string
  partner_id: string
  product: string
  interest_by_days: bigint
  mark_up_by_days: bigint
  interest_booked: bigint
  mark_up_booked: bigint
}

export const readInterestEarned: Reader = async (tx, wish) => {
  const rows = await readEarned(tx, wish)
  return {
    columns: {
      ...{ month: 'month', partner_id: 'partner', product: 'word' },
      ...{ interest_by_days: 'cents', interest_booked: 'cents' },
      ...{ mark_up_by_days: 'cents', mark_up_booked: 'cents' },
    },
    rows: [rows],
    reconcile: async () => [
      ...(await heldAgainstBooks(tx, wish, rows)),
      ...(await finishedLoans(tx, wish)),
    ],
  }
}

/**
 * By days: from the principal outstanding at the end of each day, as known today. Each loan's total
 * to the end of a month is rounded once, and a month is the difference of two totals.
 */
function readEarned(tx: Tx, wish: Wish): Promise<Earned[]> {
  const { from, to, partner_id } = wish
  const span: Span = { by: wish.by, from, on: to }
  const day = wish.by === 'value' ? sql`e.value_on` : PARIS_DAY
  const ends = monthEnds(from, to)
  return tx.all(sql<Earned>`
    with totals as (${totalsOf(overlapping(wish), [from, ...ends])}),
    sums as (
      select on_day, partner_id, product, sum(interest) as interest, sum(mark_up) as mark_up
      from totals group by 1, 2, 3),
    months as (
      select to_char(on_day - 1, 'YYYY-MM') as month, partner_id, product, on_day,
        interest - lag(interest, 1, 0) over w as interest,
        mark_up - lag(mark_up, 1, 0) over w as mark_up
      from sums window w as (partition by partner_id, product order by on_day)),
    by_days as (
      select month, partner_id, product, interest, mark_up from months
      where on_day > ${from}::date),
    booked as (
      select to_char(${day}, 'YYYY-MM') as month, l.partner_id, l.loan_type as product,
        -coalesce(sum(p.amount) filter (where a.code = 'interest_income'), 0) as interest,
        -coalesce(sum(p.amount) filter (where a.code = 'partner_share'), 0) as mark_up
      from ledger_entries e join ledger_postings p on p.entry_id = e.id
      join ledger_accounts a on a.id = p.account_id
      join loans l on l.id = a.owner_id
      where ${within(span)} and a.code in ('interest_income', 'partner_share')
        and e.kind not in ('partner_share', 'partner_share_returned')
        and (${partner_id}::uuid is null or l.partner_id = ${partner_id})
      group by 1, 2, 3)
    select month, partner_id, product, coalesce(d.interest, 0)::bigint as interest_by_days,
      coalesce(d.mark_up, 0)::bigint as mark_up_by_days,
      coalesce(b.interest, 0)::bigint as interest_booked,
      coalesce(b.mark_up, 0)::bigint as mark_up_booked
    from by_days d full join booked b using (month, partner_id, product)
    where coalesce(d.interest, 0) <> 0 or coalesce(d.mark_up, 0) <> 0
      or coalesce(b.interest, 0) <> 0 or coalesce(b.mark_up, 0) <> 0
    order by month, partner_id, product`)
}

const PARIS_DAY = sql`e.booked_at at time zone 'Europe/Paris'`

/** Loans that were outstanding at some time between two days. */
function overlapping({ from, to, partner_id }: Wish): RawBuilder<boolean> {
  return sql`l.paid_out_on <= ${to}::date
    and (l.principal_repaid_on is null or l.principal_repaid_on >= ${from}::date)
    and (${partner_id}::uuid is null or l.partner_id = ${partner_id})`
}

/**
 * Rows (partner_id, product, on_day, interest, mark_up), one for each loan: what it had earned to
 * each of some days, that day not counted. As loans/account.ts reckons, for many at once.
 */
function totalsOf(of: RawBuilder<boolean>, days: readonly Day[]): RawBuilder<unknown> {
  const exact = sql`sum(s.principal * (least(s.until, d.on_day) - s.from_on))::bigint`
  return sql`
    select s.partner_id, s.loan_type as product, d.on_day,
      interest_cents(${exact} * s.rate_ppm) as interest,
      interest_cents(${exact} * s.mark_up_ppm) as mark_up
    from (select i.loan_id, i.from_on, i.principal, l.partner_id, l.loan_type, l.rate_ppm,
        l.mark_up_ppm, coalesce(lead(i.from_on) over (partition by i.loan_id order by i.from_on),
          'infinity'::date) as until
      from loans l join loan_principal_steps i on i.loan_id = l.id where ${of}) s
    join unnest(${days}::date[]) as d (on_day) on s.from_on < d.on_day
    group by s.loan_id, d.on_day, s.partner_id, s.loan_type, s.rate_ppm, s.mark_up_ppm`
}

/** The days after the last one of each month of a time; of the last month, of that time. */
function monthEnds(from: Day, to: Day): Day[] {
  const ends: Day[] = []
  for (let on = from; on <= to; on = addDays(on, 1)) {
    const next = addDays(on, 1)
    if (next.slice(0, 7) !== on.slice(0, 7) || on === to) ends.push(next)
  }
  return ends
}

/** What was booked, beside the movement of the accounts in two trial balances. */
async function heldAgainstBooks(
  tx: Tx,
  wish: Wish,
  rows: readonly Earned[],
): Promise<Reconciled[]> {
  const { by, from, to, partner_id } = wish
  const codes = ['interest_income', 'partner_share'] as const
  const until = await trialBalanceOf(tx, { by, on: to }, partner_id, codes)
  const before = await trialBalanceOf(tx, { by, on: addDays(from, -1) }, partner_id, codes)
  const { paid_out } = await tx.one(sql<{ paid_out: bigint }>`
    select coalesce(sum(p.amount), 0)::bigint as paid_out
    from ledger_entries e join ledger_postings p on p.entry_id = e.id
    join ledger_accounts a on a.id = p.account_id
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

/** Once its principal is repaid what a loan has earned by days is what is booked of it in all. */
async function finishedLoans(tx: Tx, wish: Wish): Promise<Reconciled[]> {
  const finished = sql<boolean>`${overlapping(wish)} and l.principal_repaid_on is not null`
  const { by_days, booked } = await tx.one(sql<{ by_days: bigint; booked: bigint }>`
    select
      (select coalesce(sum(t.interest + t.mark_up), 0)::bigint
        from (${totalsOf(finished, [addDays(tx.today, 1)])}) t) as by_days,
      (select coalesce(sum(l.mark_up_paid_out), 0)::bigint from loans l where ${finished})
        - (select coalesce(sum(b.amount), 0)::bigint
          from loans l join ledger_accounts a on a.owner_id = l.id
            and a.code in ('interest_income', 'partner_share')
          join ledger_balances b on b.account_id = a.id where ${finished}) as booked`)
  return [{ with: 'all that is booked of loans repaid by now', reported: by_days, found: booked }]
}
