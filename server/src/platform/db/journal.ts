/**
 * What a transaction adds to tables that are only ever added to (history, logs, events): kept until
 * the commit and then written by one statement.
 */
import { type Insertable, type RawBuilder, sql } from 'kysely'
import { insertInto } from './insert.ts'
import type { DB } from './schema.ts'

/** `onConflict` is the clause for rows that may be there already; one for a table. */
export type Append = <T extends keyof DB & string>(
  table: T,
  rows: readonly Insertable<DB[T]>[],
  onConflict?: RawBuilder<unknown>,
) => void

interface Added {
  readonly rows: Insertable<DB[keyof DB]>[]
  readonly onConflict: RawBuilder<unknown>
}

export class Journal {
  readonly #tables = new Map<keyof DB & string, Added>()

  append: Append = (table, rows, onConflict = sql``) => {
    if (rows.length === 0) return
    const added = this.#tables.get(table) ?? { rows: [], onConflict }
    this.#tables.set(table, added)
    added.rows.push(...(rows as readonly Insertable<DB[keyof DB]>[]))
  }

  /** What was added to a table so far. */
  rows<T extends keyof DB & string>(table: T): readonly Insertable<DB[T]>[] {
    return (this.#tables.get(table)?.rows ?? []) as readonly Insertable<DB[T]>[]
  }

  /** Returns what takes back everything that is added from now on. */
  mark(): () => void {
    const counts = new Map([...this.#tables].map(([table, { rows }]) => [table, rows.length]))
    return () => {
      for (const [table, { rows }] of this.#tables) {
        rows.length = counts.get(table) ?? 0
        if (rows.length === 0) this.#tables.delete(table)
      }
    }
  }

  /** What was added since the last call: one insert for each table, in one statement; or null. */
  take(): RawBuilder<unknown> | null {
    if (this.#tables.size === 0) return null
    // In one order, so that the same tables make the same text. Keys between them hold at its end.
    const inserts = [...this.#tables]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(
        ([table, { rows, onConflict }]) =>
          sql`${sql.id(table)} as (${insertInto(table, rows)} ${onConflict})`,
      )
    this.#tables.clear()
    return sql`with ${sql.join(inserts)} select`
  }
}
