/**
 * Empties test databases for the next file. Their connections have already loaded the catalog and
 * planned the service's statements, which takes longer than most tests.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type ConnectionPool, connect, USE_GENERIC_PLANS } from '../../src/platform/db/connect.ts'
import { asAdmin, dropDatabase } from './admin.ts'
import { FILLED, shapeOf } from './shape.ts'
import { until } from './until.ts'

const idle: ConnectionPool[] = []
/** A test file rarely uses more databases than this at the same time. */
const IDLE_MAX = 2
const PATIENCE_MS = 10_000

/**
 * A copy of the template, by default a migrated database without data. It may be a reused one with
 * dead rows, unless `is_new`.
 */
export async function takeDatabase(
  is_new: boolean,
  connections: number,
  template = 'template_of_tests',
): Promise<ConnectionPool> {
  const known = is_new || template !== 'template_of_tests' ? undefined : idle.pop()
  if (known) {
    known.options.max = connections
    return known
  }
  const database = `test_${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${database} template ${template}`)
  const pool = connect({ ...inject('server'), database }, () => {})
  // Connections stay open with their plans for the next file, but do not keep the process alive.
  Object.assign(pool.options, {
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
    max: connections,
  })
  return pool
}

/** Empties a database for the next file. Drops it if enough are idle or emptying it fails. */
export async function returnDatabase(pool: ConnectionPool): Promise<void> {
  const isClean = idle.length < IDLE_MAX && (await empty(pool).catch(() => false))
  if (isClean) idle.push(pool)
  else await dropPool(pool)
}

async function dropPool(pool: ConnectionPool): Promise<void> {
  await pool.end()
  await dropDatabase(pool.options.database!)
}

/**
 * Deletes all rows but those of `FILLED` tables; returns false if these or the schema have changed.
 * Throws if a session stays active.
 */
async function empty(pool: ConnectionPool): Promise<boolean> {
  await until(() => pool.idleCount === pool.totalCount && pool.waitingCount === 0, PATIENCE_MS)
  await forgetSettings(pool)
  pool.refuses_writes = false
  const admin = new pg.Client({ ...inject('admin'), database: pool.options.database! })
  await admin.connect()
  try {
    // Other sessions, such as a test's own client, may still be closing.
    await until(() => isAlone(admin, pool), PATIENCE_MS)
    if ((await shapeOf(admin)) !== inject('shape')) return false
    const { rows } = await admin.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public'
         and tablename <> all($1)`,
      [FILLED],
    )
    const deletes = rows.map(({ name }) => `delete from "${name}";`).join('\n')
    // Triggers forbid deleting from the ledger and the history; only a superuser may bypass them.
    await admin.query(`begin; set local session_replication_role = replica;
      ${deletes} commit`)
    await admin.query(`select setval(schemaname || '.' || quote_ident(sequencename), start_value,
      false) from pg_sequences where schemaname = 'public'`)
    return true
  } finally {
    await admin.end()
  }
}

/** Resets the session settings that tests have changed. */
async function forgetSettings(pool: ConnectionPool): Promise<void> {
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()))
  for (const client of clients) {
    await client.query(`reset all; ${USE_GENERIC_PLANS}`)
    client.release()
  }
}

/** Whether only the pool and `admin` are connected. */
async function isAlone(admin: pg.Client, pool: ConnectionPool): Promise<boolean> {
  const { rows } = await admin.query(
    `select count(*)::int as others from pg_stat_activity where datname = current_database()
       and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )
  return rows[0].others === pool.totalCount
}
