/** SQL conditions that match rows by their partner, or by partner and id. */
import { type RawBuilder, sql } from 'kysely'
import { LENDER_ID } from '../kit/ids.ts'

export const LENDER = sql<string>`${sql.lit(LENDER_ID)}::uuid`

/** The partner in `column`, null for the lender. */
export function nullForLender(column: string): RawBuilder<string | null> {
  return sql`nullif(${sql.ref(column)}, ${LENDER})`
}

export interface RowKey {
  readonly partner_id: string
  readonly id: string
}

export function keysOf(partner_id: string, ids: readonly string[]): RowKey[] {
  return ids.map(id => ({ partner_id, id }))
}

/** The keys that rows of partners refer to by `column`. Rows with null are skipped. */
export function keysBy<Column extends string>(
  rows: readonly (Pick<RowKey, 'partner_id'> & {
    readonly [column in Column]: string | null
  })[],
  column: Column,
): RowKey[] {
  return rows.flatMap(row => {
    const id: string | null = row[column]
    return id === null ? [] : [{ partner_id: row.partner_id, id }]
  })
}

/** Matches the rows of `table` that have these keys, or that refer to them by `column`. */
export function haveKeys(
  keys: readonly RowKey[],
  table: string,
  column = 'id',
): RawBuilder<boolean> {
  const [partner, referring] = [sql.ref(`${table}.partner_id`), sql.ref(`${table}.${column}`)]
  const ids = keys.map(key => key.id)
  const [only = null, ...others] = new Set(keys.map(key => key.partner_id))
  if (others.length === 0) return sql`${partner} = ${only} and ${referring} = any(${ids}::uuid[])`
  // Not `any` for both columns, which would look up every id for every partner.
  return sql`(${partner}, ${referring}) in (
    select * from unnest(${keys.map(key => key.partner_id)}::uuid[], ${ids}::uuid[]))`
}

/**
 * Matches the rows of `table` that follow the key `after` in the order of partner and id, or of
 * partner and `column`. For pages read through an index in that order.
 */
export function followKey(after: RowKey, table: string, column = 'id'): RawBuilder<boolean> {
  const [partner, referring] = [sql.ref(`${table}.partner_id`), sql.ref(`${table}.${column}`)]
  return sql`(${partner}, ${referring}) > (${after.partner_id}::uuid, ${after.id}::uuid)`
}

/**
 * Matches the rows of `table` whose keys are in a table or query. Two separate lists suffice,
 * because ids are unique across partners, and they allow the use of the primary key even with `or`
 * and `for update`.
 */
export function haveKeysIn(table: string, keys: RawBuilder<unknown>): RawBuilder<boolean> {
  const [partner, id] = [sql.ref(`${table}.partner_id`), sql.ref(`${table}.id`)]
  return sql`(${partner} = any(array(select n.partner_id from ${keys} n))
    and ${id} = any(array(select n.id from ${keys} n)))`
}

/**
 * Matches the rows of every partner, for statements that do not know the partner. Keys and indexes
 * begin with the partner, so this takes one lookup per partner instead of reading all rows.
 */
export function ofEachPartner(table: string): RawBuilder<boolean> {
  return sql`${sql.ref(`${table}.partner_id`)} = any(array(select id from partners))`
}

/** Like `ofEachPartner`, and also matches the lender's rows. */
export function ofEachOwner(table: string): RawBuilder<boolean> {
  return sql`${sql.ref(`${table}.partner_id`)} = any(array(
    select id from partners union all select ${LENDER}))`
}

export function orLenders(partner_id: string): RawBuilder<boolean> {
  return sql`partner_id = any(${[partner_id, LENDER_ID]}::uuid[])`
}

/** Matches the partner's rows, or all rows for null. `table` qualifies the column. */
export function ofPartner(partner_id: string | null, table?: string): RawBuilder<boolean> {
  const column = sql.ref(table ? `${table}.partner_id` : 'partner_id')
  return partner_id === null ? sql`true` : sql`${column} = ${partner_id}`
}
