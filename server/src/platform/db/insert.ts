/** Inserts many rows with a statement whose text does not depend on their number. */
import { type Insertable, type RawBuilder, sql } from 'kysely'
import { assert } from '../kit/assert.ts'
import type { DB } from './schema.ts'

/**
 * `insert into table (…) select …` for rows that all have the same keys. Omitted columns get their
 * defaults. Append `on conflict` or `returning` as needed.
 */
export function insertInto<T extends keyof DB & string>(
  table: T,
  rows: readonly Insertable<DB[T]>[],
): RawBuilder<unknown> {
  assert(rows.length > 0, 'an insert has rows')
  const columns = Object.keys(rows[0]!)
  const alike = rows.every(row => Object.keys(row).length === columns.length)
  assert(alike, 'rows of one insert have the same columns')
  const names = sql.join(columns.map(name => sql.ref(name)))
  return sql`insert into ${sql.table(table)} (${names})
    select ${names}
    from json_populate_recordset(null::${sql.table(table)}, ${jsonRows(rows)}::json)`
}

/** Rows as input for `json_populate_recordset`. Cents are written as strings to stay exact. */
export function jsonRows(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}
