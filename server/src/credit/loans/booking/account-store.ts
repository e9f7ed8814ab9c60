/** The SQL that writes the movements of loans' money and the resulting totals. */
import { type RawBuilder, sql } from 'kysely'
import { type LineChange, lineChangeStatement } from '../../../companies/credit-lines/index.ts'
import { jsonRows } from '../../../platform/db/insert.ts'
import type { Step } from '../../../platform/db/move.ts'
import { haveKeys } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import type { LoanAccount } from '../account.ts'
import type { NextDue } from '../installments.ts'
import type { LockedLoan, MovementRow } from '../store.ts'
import { type LoanMoney, type LoanWithLinks, linksOf, splitLinks } from './links.ts'
import type { Unsettled } from './unsettled.ts'

export interface StoredTotals extends NextDue, Unsettled {
  reserved: bigint
  interest_accrued: bigint
  mark_up_accrued: bigint
  mark_up_paid_out: bigint
  interest_billed: bigint
  closed_at: Date | null
}

export interface RecomputedLoan {
  /**
   * The loan with the terms that the booking changes; its figures are still those before the
   * booking.
   */
  readonly loan: LockedLoan
  /** The loan as read under its lock, with the changes that this transaction has stored since. */
  readonly before: LockedLoan
  /** The movements to insert; the account includes them. */
  readonly added: readonly MovementRow[]
  readonly account: LoanAccount
  readonly money: StoredTotals
  readonly step: Step<'loan'> | null
}

/** The loan columns that a booking writes. */
const FIGURES = [
  ...(['paid_out_on', 'principal_outstanding', 'principal_repaid', 'principal_repaid_on'] as const),
  ...(['interest_accrued', 'interest_billed', 'interest_paid', 'mark_up_accrued'] as const),
  ...(['surplus', 'surplus_refunded', 'refunds_reclaimed', 'reclaimed_on'] as const),
  ...(['reserved', 'interest_stops', 'written_off_on'] as const),
  ...(['principal_written_off', 'interest_written_off', 'mark_up_written_off'] as const),
  ...(['principal_recovered', 'interest_recovered', 'closed_at', 'status'] as const),
  ...(['principal_covered', 'falls_due_on', 'due_on', 'due_part'] as const),
  ...(['share_unsettled', 'unrecovered'] as const),
] as const

/** The columns from which ledger postings and credit line changes are computed. */
const BOOKED = [
  ...(['paid_out_on', 'principal_outstanding', 'principal_repaid', 'reserved'] as const),
  ...(['interest_accrued', 'interest_billed', 'interest_paid', 'mark_up_accrued'] as const),
  ...(['surplus', 'surplus_refunded', 'refunds_reclaimed', 'written_off_on'] as const),
  ...(['principal_written_off', 'interest_written_off', 'mark_up_written_off'] as const),
  ...(['principal_recovered', 'interest_recovered'] as const),
] as const

/**
 * Writes new movements and the recomputed accounts of loans in bulk: totals, principal steps,
 * allocations and credit lines. Returns the updated loans in the order given. Asserts that each
 * loan is still stored as in `before`; a difference computed from an outdated copy would be booked
 * twice.
 */
export async function writeAccounts(
  tx: Tx,
  recomputed: readonly RecomputedLoan[],
  lines: readonly LineChange[],
): Promise<LoanMoney[]> {
  const loans = recomputed.map(({ loan }) => loan)
  const ids = loans.map(loan => loan.id)
  const steps = recomputed.flatMap(({ loan: { partner_id, id: loan_id }, account }) =>
    account.steps.map(step => ({ partner_id, loan_id, ...step })),
  )
  const fresh = new Set(recomputed.flatMap(({ added }) => added.map(m => m.id)))
  const shares = recomputed.flatMap(({ loan: { partner_id }, account }) =>
    [...account.shares]
      .filter(([id]) => !fresh.has(id))
      .map(([id, share]) => ({ partner_id, id, ...share })),
  )
  const added = recomputed.flatMap(({ account, added }) =>
    added.map(m => ({ ...m, ...account.shares.get(m.id) })),
  )
  const set = sql.join(FIGURES.map(name => sql`${sql.ref(name)} = ${sql.ref(`n.${name}`)}`))
  const figures = (row: string) => sql.join(BOOKED.map(name => sql.ref(`${row}.${name}`)))
  const is_fresh = sql`(${figures('l')}) is not distinct from (${figures('was')})`
  const paying = added.flatMap(({ payment_id }) => payment_id ?? [])
  const change = lineChangeStatement(tx, lines)
  // Every part of the statement sees the stored steps as they were when it began, so the update can
  // compare old steps with new ones.
  const written = await tx.all(sql<LoanWithLinks & { changed_lines: number }>`
    with step as (select * from unnest(${steps.map(s => s.partner_id)}::uuid[],
        ${steps.map(s => s.loan_id)}::uuid[], ${steps.map(s => s.from_on)}::date[],
        ${steps.map(s => s.principal)}::bigint[]) as s (partner_id, loan_id, from_on, principal)),
    gone as (delete from loan_principal_steps o where ${haveKeys(loans, 'o', 'loan_id')}
      and not exists (select from step s where s.loan_id = o.loan_id and s.from_on = o.from_on)),
    kept as (insert into loan_principal_steps as o (partner_id, loan_id, from_on, principal)
      select * from step
      on conflict (partner_id, loan_id, from_on) do update set principal = excluded.principal
        where o.principal <> excluded.principal),
    share as (update loan_movements m
      set principal = s.principal, interest = s.interest, surplus = s.surplus
      from unnest(${shares.map(s => s.partner_id)}::uuid[], ${shares.map(s => s.id)}::uuid[],
        ${shares.map(s => s.principal)}::bigint[], ${shares.map(s => s.interest)}::bigint[],
        ${shares.map(s => s.surplus)}::bigint[])
        as s (partner_id, id, principal, interest, surplus)
      where m.partner_id = s.partner_id and m.id = s.id),
    added as (${insertMovements(added)}),
    ${change.parts}
    update loans l set ${set}, interest_changed_at = case
        when l.written_off_on is not distinct from n.written_off_on
          and ${stepsIn(sql`loan_principal_steps`)} = ${stepsIn(sql`step`)}
        then l.interest_changed_at else ${tx.now} end
    from json_populate_recordset(null::loans, ${jsonRows(recomputed.map(figuresOf))}::json) n
      join json_populate_recordset(null::loans, ${jsonRows(recomputed.map(bookedBefore))}::json) was
        on was.partner_id = n.partner_id and was.id = n.id
    where l.partner_id = n.partner_id and l.id = n.id and l.status = was.status and ${is_fresh}
    returning l.*, ${linksOf(tx, paying)} as links, ${change.changed} as changed_lines`)
  assert(written.length === ids.length, 'a loan is booked from its row as it is stored')
  const byId = new Map(
    written.map(({ changed_lines, ...row }) => {
      assert(changed_lines === change.count, 'every changed line exists')
      return [row.id, splitLinks(row)]
    }),
  )
  return ids.map(id => byId.get(id)!)
}

/**
 * Inserts movements with their shares. Rows are passed as JSON, so the statement's text does not
 * depend on their number.
 */
function insertMovements(rows: readonly MovementRow[]): RawBuilder<unknown> {
  return sql`insert into loan_movements
    select * from json_populate_recordset(null::loan_movements, ${jsonRows(rows)}::json)`
}

function bookedBefore({ loan: { status }, before }: RecomputedLoan): object {
  const { partner_id, id } = before
  const booked = Object.fromEntries(BOOKED.map(name => [name, before[name]]))
  return { partner_id, id, status, ...booked }
}

function figuresOf({ loan, account, money, step }: RecomputedLoan): object {
  const { partner_id, id, written_off_on, interest_stops } = loan
  const status = step?.to ?? loan.status
  const all = { ...account, ...money, written_off_on, interest_stops, status }
  return { partner_id, id, ...Object.fromEntries(FIGURES.map(name => [name, all[name]])) }
}

/** The steps of a loan `l`, in a form that can be compared. */
function stepsIn(table: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select coalesce(jsonb_agg(jsonb_build_array(s.from_on, s.principal)
    order by s.from_on), '[]') from ${table} s
    where s.partner_id = l.partner_id and s.loan_id = l.id)`
}
