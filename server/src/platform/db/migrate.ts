/** Applies the numbered .sql files missing from a database, each in its own transaction. */
import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'
import { assert } from '../kit/assert.ts'
import { sha256 } from '../kit/crypto.ts'
import { UNLIMITED_MS, withConnection } from './connect.ts'
import { LOCKS } from './locks.ts'

const FOLDER = new URL('migrations/', import.meta.url)
const LOCK = LOCKS.migration

interface Migration {
  name: string
  sql: string
  /** The hash of its statements. Comments may change later. */
  hash: string
}

/** The last migration of the baseline. */
export const BASELINE = '0030_statistics.sql'
/**
 * The last migration that the baseline (the numbered files through `BASELINE`) replaced. Identifies
 * exports from before the baseline; `entrypoints/archive/older-rows.ts` converts their rows to the
 * baseline.
 */
export const BEFORE_BASELINE = {
  name: '0047_keys_of_loans.sql',
  hash: '8501ab4ca18ece9e0a7925a8448c3770b8872c08a50a88dea5708292c70fc28d',
} as const
/** Removed migrations. Every database older than the baseline has applied one of them. */
const EARLIER_BASELINES = ['0001_foundation.sql', '0028_walls.sql']

/** The hash of the baseline's hashes at the time when they covered comments too. */
const BASELINE_WITH_COMMENTS = 'ce0080e39a8d3c5c23415624d77821e8714dd7d8f8012ce8520c19c5f220bbfc'

let names: readonly string[] | null = null

/** Read once: this code's migrations do not change while it runs, and `/readyz` polls often. */
function migrationNames(): readonly string[] {
  names ??= readdirSync(FOLDER)
    .filter(name => /^\d{4}_.*\.sql$/.test(name))
    .sort()
  return names
}

function readMigrations(): Migration[] {
  return migrationNames().map((name, index, all) => {
    // Numbers may have gaps, since branches merge in any order, but each belongs to one file.
    const before = all[index - 1]
    assert(before?.slice(0, 4) !== name.slice(0, 4), `two migrations have the number of ${name}`)
    const sql = readFileSync(new URL(name, FOLDER), 'utf8')
    return { name, sql, hash: sha256(withoutComments(sql)) }
  })
}

function withoutComments(sql: string): string {
  return sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim()
}

/**
 * The applied migrations, in order. If the baseline's hashes still cover comments, they are
 * replaced by today's.
 */
export function withCurrentHashes<M extends Pick<Migration, 'name' | 'hash'>>(
  applied: readonly M[],
): M[] {
  const baseline = applied.filter(({ name }) => name <= BASELINE)
  const hashes = baseline.map(({ hash }) => hash).join('')
  if (sha256(hashes) !== BASELINE_WITH_COMMENTS) return [...applied]
  const today = new Map(readMigrations().map(({ name, hash }) => [name, hash]))
  const hashOf = ({ name, hash }: M) => (name <= BASELINE && today.get(name)) || hash
  return applied.map(one => ({ ...one, hash: hashOf(one) }))
}

/**
 * Migrates the database to the newest schema and returns the names of the migrations applied.
 * Throws when the statements of an applied file were edited later, when the database is newer than
 * this code, or when it is older than the baseline.
 */
export function migrate(pool: pg.Pool): Promise<string[]> {
  return withConnection(pool, client => migrateThrough(client, null))
}

/**
 * Like `migrate`, on an open connection and only through the named migration; null means all.
 * Waits without a limit for another migrating process. A migration's statements have no time limit
 * either, but each waits at most 5 s for a lock.
 */
export async function migrateThrough(
  client: pg.ClientBase,
  last: string | null,
): Promise<string[]> {
  try {
    await queryWithoutTimeout(client, 'set statement_timeout = 0')
    await queryWithoutTimeout(client, `select pg_advisory_lock(${LOCK})`)
    await client.query(
      `create table if not exists migrations (
         name text primary key, hash text not null, applied_at timestamptz not null default now())`,
    )
    const { rows } = await client.query('select name, hash from migrations order by name')
    const current = withCurrentHashes<{ name: string; hash: string }>(rows)
    const applied = new Map(current.map(({ name, hash }) => [name, hash]))
    if (EARLIER_BASELINES.some(name => applied.has(name))) throw beforeBaseline([...applied.keys()])
    const known = readMigrations()
    const unknown = [...applied.keys()].filter(name => !known.some(m => m.name === name))
    if (unknown.length > 0) throw new Error(`the database is newer than this code: ${unknown}`)
    const wanted = known.filter(({ name }) => last === null || name <= last)
    return await applyMissing(client, wanted, applied)
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK]).catch(() => {})
    await client.query('reset statement_timeout').catch(() => {})
  }
}

function beforeBaseline(names: string[]): Error {
  return new Error(
    `the database has the schema of an older version (${names.sort().at(-1)}): with the last ` +
      `one that has ${BEFORE_BASELINE.name} \`migrate\` and \`export\` it, then \`import\` the ` +
      'file into a new database with this one',
  )
}

function queryWithoutTimeout(client: pg.ClientBase, text: string, values?: unknown[]) {
  const query: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: UNLIMITED_MS }
  return client.query({ ...query, ...(values && { values }) })
}

export async function pendingMigrations(on: {
  query(text: string): Promise<pg.QueryResult<{ name: string }>>
}): Promise<string[]> {
  const { rows } = await on.query('select name from migrations')
  const applied = new Set(rows.map(row => row.name))
  return migrationNames().filter(name => !applied.has(name))
}

async function applyMissing(
  client: pg.ClientBase,
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
      await queryWithoutTimeout(client, sql)
      const row = 'insert into migrations (name, hash) values ($1, $2)'
      await queryWithoutTimeout(client, row, [name, hash])
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw new Error(`migration ${name} failed: ${(error as Error).message}`)
    }
    done.push(name)
  }
  return done
}
