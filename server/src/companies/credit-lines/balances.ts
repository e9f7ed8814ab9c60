/**
 * The amounts lent and reserved on a line and for its partner. Changes lock in one order: partner,
 * line, then loans or cards.
 */
import { type RawBuilder, sql } from 'kysely'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import { type Statement, statement, type Tx } from '../../platform/db/transaction.ts'
import { recordEvent, setEventView } from '../../platform/events/index.ts'
import { assert } from '../../platform/kit/assert.ts'
import { viewsOfLines } from './queries.ts'

declare const lock: unique symbol

/**
 * The id of a line whose partner and row this transaction has locked. Only the functions that take
 * these locks create one; code that changes a line, or decides by its balance, requires one.
 */
export type LockedLine = string & { readonly [lock]: true }

/** A row that was read after its line was locked. */
export type WithLockedLine<T extends { readonly credit_line_id: string | null }> = T & {
  readonly credit_line_id: T['credit_line_id'] & (LockedLine | null)
}

/** Marks a row as read under the lock of its line. Call it only where that lock is taken. */
export function asLockedLine<T extends { readonly credit_line_id: string | null }>(
  row: T,
): WithLockedLine<T> {
  return row as WithLockedLine<T>
}

export interface LineChange {
  readonly partner_id: string
  readonly credit_line_id: LockedLine
  /** Cents to add to the outstanding and reserved amounts; negative to subtract. */
  readonly outstanding: bigint
  readonly reserved: bigint
  /** Cents to add to cleared card spending that no loan finances yet; negative for card credits. */
  readonly card_spent?: bigint
  /** Cents to add to open card authorizations, which are part of `reserved`. */
  readonly card_pending?: bigint
}

class LockedLines {
  readonly #ids: ReadonlySet<string>

  constructor(rows: readonly { readonly id: string }[]) {
    this.#ids = new Set(rows.map(row => row.id))
  }

  /** Returns the id as a locked line; asserts that this call has locked it. */
  line(id: string): LockedLine {
    assert(this.#ids.has(id), 'a line is changed under its own lock')
    return id as LockedLine
  }
}

/**
 * Locks partners and borrowers' lines, so that balances read afterwards stay valid. A statement
 * that locks and reads at once uses `exposureLockCtes`.
 */
export async function lockExposure(
  tx: Tx,
  partner_ids: readonly string[],
  borrowers: readonly RowKey[],
): Promise<LockedLines> {
  const partners = statement(sql`
    select from partners where id = any(${partner_ids}::uuid[]) order by id for no key update`)
  const lines = statement(
    sql<{ id: string }>`
      select id from credit_lines where ${haveKeys(borrowers, 'credit_lines', 'borrower_id')}
      order by id for no key update`,
    rows => new LockedLines(rows),
  )
  const [, locked] = await tx.inOrder([partners, lines])
  return locked
}

/**
 * The locks of `lockExposure` as CTEs, for a statement that also reads under them. The locks are
 * taken only if the rest of the statement includes the condition `held`. `owners` selects
 * partner_id and borrower_id.
 */
export function exposureLockCtes(owners: RawBuilder<unknown>) {
  // Each CTE waits for the one before, because an uncorrelated subquery is evaluated first.
  const ctes = sql`with owner as (${owners}),
    locked_partner as (select id from partners where id in (select partner_id from owner)
      order by id for no key update),
    locked_line as (select id from credit_lines
      where (partner_id, borrower_id) in (select partner_id, borrower_id from owner)
        and (select count(*) from locked_partner) >= 0
      order by id for no key update)`
  return { ctes, held: sql`(select count(*) from locked_line) >= 0` }
}

/** Applies changes to locked lines and to their partners' exposure, and records their events. */
export async function changeLines(tx: Tx, changes: readonly LineChange[]): Promise<void> {
  const { parts, changed, count } = lineChangeStatement(tx, changes)
  if (count === 0) return
  const row = await tx.one(sql<{ changed: number }>`with ${parts} select ${changed} as changed`)
  assert(row.changed === count, 'every changed line exists')
}

/**
 * The changes of `changeLines` as CTEs of a larger statement. `changed` counts the lines found,
 * which must equal `count`. Records the events of the lines.
 */
export function lineChangeStatement(tx: Tx, changes: readonly LineChange[]) {
  const real = changes.filter(
    c => c.outstanding !== 0n || c.reserved !== 0n || (c.card_spent ?? 0n) !== 0n,
  )
  const owners = new Map(real.map(c => [c.credit_line_id, c.partner_id]))
  for (const [id, partner_id] of owners) {
    recordEvent(tx, 'credit_line', { partner_id, id }, 'CreditLine.BALANCE_UPDATED')
  }
  const parts = sql`line_change as (
      select partner_id, id, sum(outstanding)::bigint as outstanding,
        sum(reserved)::bigint as reserved, sum(card_spent)::bigint as card_spent,
        sum(card_pending)::bigint as card_pending
      from unnest(${real.map(c => c.partner_id)}::uuid[],
        ${real.map(c => c.credit_line_id)}::uuid[],
        ${real.map(c => c.outstanding)}::bigint[], ${real.map(c => c.reserved)}::bigint[],
        ${real.map(c => c.card_spent ?? 0n)}::bigint[],
        ${real.map(c => c.card_pending ?? 0n)}::bigint[])
        as c (partner_id, id, outstanding, reserved, card_spent, card_pending)
      group by partner_id, id
    ), changed_line as (
      update credit_lines l
      set outstanding = l.outstanding + c.outstanding, reserved = l.reserved + c.reserved,
        card_spent = l.card_spent + c.card_spent, card_pending = l.card_pending + c.card_pending
      from line_change c where l.partner_id = c.partner_id and l.id = c.id
      returning l.id, l.partner_id, c.outstanding + c.reserved as exposure
    ), changed_partner as (
      update partners p set exposure = p.exposure + e.exposure
      from (select partner_id, sum(exposure)::bigint as exposure from changed_line
        group by partner_id) e
      where p.id = e.partner_id
    )`
  return { parts, changed: sql`(select count(*)::int from changed_line)`, count: owners.size }
}

/** Reads lines whose balances are final in this transaction, for the payload of their events. */
export function readLinesForEvents(tx: Tx, keys: readonly RowKey[]): Statement<void> | null {
  if (keys.length === 0) return null
  const { query, read } = viewsOfLines(tx, keys)
  return statement(query, rows => {
    for (const [id, view] of read(rows)) setEventView(tx, id, view)
  })
}
