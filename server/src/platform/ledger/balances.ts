/** Account balances on a day and turnovers of a period, by booking date or value date. */
import { type RawBuilder, sql } from 'kysely'
import { LENDER } from '../db/of-partner.ts'
import type { Tx } from '../db/transaction.ts'
import { addDays, type Day, startOfDay } from '../kit/dates.ts'
import { type AccountCode, chart, isOfLender } from './chart.ts'

/**
 * `booked`: the books at the end of a day, as known then. `value`: everything with a value date up
 * to that day, as known now. Facts that became known later account for the difference.
 */
export type Basis = 'booked' | 'value'

/** The books up to the end of a day. */
export interface Cut {
  readonly by: Basis
  readonly on: Day
}

/** A part of the books: up to the end of a day, from the start of `from` if given. */
export interface Span extends Cut {
  readonly from?: Day | undefined
}

/** SQL condition: whether the entry `e` lies within the span. */
export function within({ by, on, from }: Span): RawBuilder<boolean> {
  if (by === 'value') {
    return from
      ? sql`e.value_on >= ${from}::date and e.value_on <= ${on}::date`
      : sql`e.value_on <= ${on}::date`
  }
  const until = startOfDay(addDays(on, 1))
  return from
    ? sql`e.booked_at >= ${startOfDay(from)} and e.booked_at < ${until}`
    : sql`e.booked_at < ${until}`
}

function after({ by, on }: Cut): RawBuilder<boolean> {
  return by === 'value'
    ? sql`e.value_on > ${on}::date`
    : sql`e.booked_at >= ${startOfDay(addDays(on, 1))}`
}

/**
 * Rows (partner_id, code, owner_id, amount) of accounts with an owner and a balance other than 0,
 * in cents, debit positive. Computed backwards from the running balances, so that only the postings
 * after the cut are read.
 */
export function ownedBalances(cut: Cut, codes: readonly AccountCode[]): RawBuilder<unknown> {
  return sql`
    select a.partner_id, a.code, a.owner_id,
      coalesce(b.amount, 0) - coalesce(s.amount, 0) as amount
    from ledger_accounts a
    left join ledger_balances b on b.partner_id = a.partner_id and b.account_id = a.id
    left join (select p.partner_id, p.account_id, sum(p.amount)::bigint as amount
      from ledger_entries e
      join ledger_postings p on p.partner_id = e.partner_id and p.entry_id = e.id
      where ${after(cut)} group by p.partner_id, p.account_id) s
      on s.partner_id = a.partner_id and s.account_id = a.id
    where a.code = any(${codes}::text[]) and a.owner_id is not null
      and coalesce(b.amount, 0) <> coalesce(s.amount, 0)`
}

/** Total debits and credits of one kind of account, in cents. */
export interface Turnover {
  readonly debit: bigint
  readonly credit: bigint
}

function dayWithin({ by, on, from }: Span): RawBuilder<boolean> {
  const day = by === 'value' ? sql`t.value_on` : sql`t.booked_on`
  return sql`${day} <= ${on}::date and (${from ?? null}::date is null or ${day} >= ${from ?? null})`
}

/**
 * SQL condition: whether `a` is the account of the posting `p`. It belongs to the posting's partner
 * or to the lender. A join with accounts of only one of them compares `a.partner_id` directly.
 */
export const ACCOUNT_OF_POSTING = sql<boolean>`
  a.partner_id = any(array[p.partner_id, ${LENDER}]) and a.id = p.account_id`

/**
 * The unsealed entries (partner_id, entry_id) as an array, so that PostgreSQL always starts from
 * them. The plan of a plain join would depend on statistics, which may date from a time when many
 * entries were unsealed.
 */
export const UNSEALED = sql`unnest(array(select t from ledger_unsealed t))`

/**
 * The daily turnovers in cents of a table or query of entries (partner_id, entry_id), as rows
 * (booked_on, value_on, partner_id, code, debit, credit).
 */
export function turnoversOf(entries: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select (e.booked_at at time zone 'Europe/Paris')::date as booked_on, e.value_on, e.partner_id,
      a.code,
      sum(greatest(p.amount, 0))::bigint as debit, sum(greatest(-p.amount, 0))::bigint as credit
    from ${entries} n join ledger_entries e on e.partner_id = n.partner_id and e.id = n.entry_id
    join ledger_postings p on p.partner_id = e.partner_id and p.entry_id = e.id
    join ledger_accounts a on ${ACCOUNT_OF_POSTING} group by 1, 2, 3, 4`
}

/**
 * Total debits and credits of each kind of account within a span: the daily turnovers of sealed
 * entries, plus the few unsealed ones. With a partner, counts only its entries. Omits kinds of
 * account without postings.
 */
export async function readTurnover(
  tx: Tx,
  span: Span,
  partner_id: string | null,
): Promise<Map<AccountCode, Turnover>> {
  const rows = await tx.all(sql<Turnover & { code: AccountCode }>`
    select t.code, sum(t.debit)::bigint as debit, sum(t.credit)::bigint as credit
    from (select booked_on, value_on, partner_id, code, debit, credit from ledger_turnovers
      union all ${turnoversOf(UNSEALED)}) t
    where ${dayWithin(span)} and (${partner_id}::uuid is null or t.partner_id = ${partner_id})
    group by t.code`)
  return new Map(rows.map(row => [row.code, row]))
}

/** The codes of accounts that are not the lender's, of which there is one per owner. */
export const OWNED_CODES = (Object.keys(chart) as AccountCode[]).filter(code => !isOfLender(code))
