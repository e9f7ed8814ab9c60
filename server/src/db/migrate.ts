/** Applies the numbered .sql files that a database lacks, each in its own transaction. */
import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'
import { assert } from '../kit/assert.ts'
import { sha256 } from '../kit/crypto.ts'

const FOLDER = new URL('migrations/', import.meta.url)
/** Any constant: two servers that start at once must not migrate at once. */
const LOCK = 7_320_001

interface Migration {
  name: string
  sql: string
  hash: string
}

function readMigrations(): Migration[] {
  const names = readdirSync(FOLDER).filter(name => /^\d{4}_.*\.sql$/.test(name))
  return names.sort().map((name, index) => {
    // Numbers may have holes, for work that lands in another order, but each is one file's.
    const before = names[index - 1]
    assert(before?.slice(0, 4) !== name.slice(0, 4), `two migrations have the number of ${name}`)
    const sql = readFileSync(new URL(name, FOLDER), 'utf8')
    return { name, sql, hash: sha256(sql) }
  })
}

/**
 * Brings the database to the newest schema and answers the names applied.
 * Throws when an applied file was edited afterwards, or the database is newer than this code.
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    await client.query(
      `create table if not exists migrations (
         name text primary key, hash text not null, applied_at timestamptz not null default now())`,
    )
    const { rows } = await client.query('select name, hash from migrations')
    const applied = new Map<string, string>(rows.map(row => [row.name, row.hash]))
    const known = readMigrations()
    const unknown = [...applied.keys()].filter(name => !known.some(m => m.name === name))
    if (unknown.length > 0) throw new Error(`the database is newer than this code: ${unknown}`)
    return await applyMissing(client, known, applied)
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK]).catch(() => {})
    client.release()
  }
}

/** The names of migrations that this code knows and the database lacks. */
export async function pendingMigrations(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query('select name from migrations')
  const applied = new Set<string>(rows.map(row => row.name))
  return readMigrations()
    .map(migration => migration.name)
    .filter(name => !applied.has(name))
}

async function applyMissing(
  client: pg.PoolClient,
  known: Migration[],
  applied: Map<string, string>,
): Promise<string[]> {
  const done: string[] = []
  for (const { name, sql, hash } of known) {
    const before = applied.get(name)
    if (before !== undefined && before !== hash) {
      throw new Error(`migration ${name} was changed after it was applied`)
    }
    if (before !== undefined) continue
    await client.query('begin')
    try {
      await client.query("set local lock_timeout = '5s'; set local headroom.partners = '*'")
      await client.query(sql)
      await client.query('insert into migrations (name, hash) values ($1, $2)', [name, hash])
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw new Error(`migration ${name} failed: ${(error as Error).message}`)
    }
    done.push(name)
  }
  return done
}
