/** Long operations have no time limit, and a COMMIT that rolled back is reported as a failure. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { ConnectionPool } from '../../src/platform/db/connect.ts'
import { LOCKS } from '../../src/platform/db/locks.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import type { Settings } from '../../src/platform/db/settings.ts'
import { type Database, transaction } from '../../src/platform/db/transaction.ts'
import { testDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const MOST_MS = 300

/** A database with client and server statement timeouts under a second. */
async function hurried(content: 'migrated' | 'empty'): Promise<ConnectionPool> {
  const pool = await testDatabase(content)
  Object.assign(pool.options, { query_timeout: MOST_MS, statement_timeout: MOST_MS })
  return pool
}

const databaseOf = (pool: ConnectionPool): Database => ({
  pool,
  settings: {} as Settings,
  beforeCommit: [],
})

const rest = sql`select pg_sleep(${(3 * MOST_MS) / 1000})`

test('a snapshot is read without a time limit, other work is not', async () => {
  const database = databaseOf(await hurried('migrated'))
  await transaction(database, { partners: '*', snapshot: true }, tx => tx.run(rest))
  const other = transaction(database, { partners: '*', actor: 'service' }, tx => tx.run(rest))
  await expect(other).rejects.toThrow(/timeout/)
})

test('migrations wait for another process and for slow statements', async () => {
  const pool = await hurried('empty')
  const other = await pool.session()
  await other.query('set statement_timeout = 0')
  await other.query(`select pg_advisory_lock(${LOCKS.migration})`)
  const migrating = migrate(pool)
  const blocked = async () => {
    const { rows } =
      await other.query(`select 1 from pg_stat_activity where wait_event_type = 'Lock'
      and datname = current_database()
      and clock_timestamp() - query_start > interval '${3 * MOST_MS} ms'`)
    return rows.length > 0
  }
  await until(blocked)
  await other.query(
    'create table migrations (name text primary key, hash text not null,' +
      'applied_at timestamptz not null default now())',
  )
  await other.query('begin; lock table migrations in exclusive mode')
  await other.query(`select pg_advisory_unlock(${LOCKS.migration})`)
  await until(blocked)
  await other.query('commit')
  await other.end()
  expect((await migrating).length).toBeGreaterThan(0)
  const { rows } = await pool.query('show statement_timeout')
  expect(rows).toEqual([{ statement_timeout: `${MOST_MS}ms` }])
})

test('a transaction aborted by a swallowed failure does not succeed', async () => {
  const database = databaseOf(await testDatabase('migrated'))
  let committed = false
  const work = transaction(database, { partners: '*', actor: 'service' }, async tx => {
    tx.afterCommit(() => {
      committed = true
    })
    await tx.run(sql`select 1 / 0`).catch(() => {})
  })
  await expect(work).rejects.toThrow('a transaction that was to be committed ended with ROLLBACK')
  expect(committed).toBe(false)
  expect(database.pool.idleCount).toBe(database.pool.totalCount)
})
