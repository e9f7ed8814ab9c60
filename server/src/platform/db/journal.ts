/**
 * Collects rows that a transaction writes in one statement just before its commit, such as its
 * history and events.
 */
import { type Insertable, type RawBuilder, sql } from 'kysely'
import { insertInto } from './insert.ts'
import type { DB } from './schema.ts'

/** `onConflict` is for rows that may already exist. A table uses that of its first call. */
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

  /** The rows of a table that are not written yet. */
  rows<T extends keyof DB & string>(table: T): readonly Insertable<DB[T]>[] {
    return (this.#tables.get(table)?.rows ?? []) as readonly Insertable<DB[T]>[]
  }

  /** Returns a function that removes all rows added after this call. */
  mark(): () => void {
    const counts = new Map([...this.#tables].map(([table, { rows }]) => [table, rows.length]))
    return () => {
      for (const [table, { rows }] of this.#tables) {
        rows.length = counts.get(table) ?? 0
        if (rows.length === 0) this.#tables.delete(table)
      }
    }
  }

  /** Removes the collected rows and returns one statement to insert them; null without rows. */
  take(): RawBuilder<unknown> | null {
    if (this.#tables.size === 0) return null
    // Sorted, so that the same tables give the same statement text. Any order is valid, because
    // foreign keys are checked when the statement ends.
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
