/** Database helpers for the command tests: addresses and contents. */
import type pg from 'pg'
import { inject } from 'vitest'
import { EMPTIED_TABLES, KEPT_TABLES, TABLES_DELETED_BY_ROW } from '../../src/platform/db/tables.ts'

/** The address of a pool's database, in the form of DATABASE_URL. */
export function urlOf(pool: pg.Pool, { host, port, user, password } = inject('server')): string {
  const { database } = pool.options
  return `postgresql://${user}:${password}@localhost/${database}?host=${host}&port=${port}`
}

export const TABLES = [...EMPTIED_TABLES, ...TABLES_DELETED_BY_ROW, ...KEPT_TABLES]

/** Runs statements that see every partner's rows. */
export async function seeingAll<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query("select set_config('headroom.partners', '*', false)")
    return await work(client)
  } finally {
    await client.query('reset headroom.partners')
    client.release()
  }
}

/** Every row of every table, as text; `without` lists columns of tables to leave out. */
export function everyRow(
  pool: pg.Pool,
  without: Readonly<Record<string, readonly string[]>> = {},
): Promise<Record<string, string[]>> {
  return seeingAll(pool, async client => {
    const found: Record<string, string[]> = {}
    for (const table of TABLES) {
      // The time at which a migration was applied differs between databases.
      const columns = without[table]
      const all = columns ? `(to_jsonb(t) - '{${columns}}'::text[])` : 't'
      const row = table === 'migrations' ? '(t.name, t.hash)' : all
      const { rows } = await client.query(`select ${row}::text as row from ${table} t`)
      found[table] = rows.map(({ row }) => row).sort()
    }
    return found
  })
}

/** A database's row-level security settings, triggers and sequence positions. */
export function rulesOf(pool: pg.Pool): Promise<Record<string, unknown[]>> {
  const read = async (text: string) => (await pool.query(text)).rows
  return (async () => ({
    walls: await read(
      `select relname, relrowsecurity, relforcerowsecurity from pg_class
       where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    ),
    triggers: await read(
      `select tgrelid::regclass::text, tgname, tgenabled from pg_trigger
       where not tgisinternal order by 1, 2`,
    ),
    sequences: await read(
      `select sequencename, last_value from pg_sequences where schemaname = 'public' order by 1`,
    ),
  }))()
}
