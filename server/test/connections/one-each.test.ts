/** A unit of work uses one connection, and a connection ended by the server frees its place. */
import { sql } from 'kysely'
import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { type ConnectionPool, connect, withConnection } from '../../src/platform/db/connect.ts'
import type { Settings } from '../../src/platform/db/settings.ts'
import {
  CommitUnknownError,
  type Database,
  type Tx,
  transaction,
} from '../../src/platform/db/transaction.ts'
import { unavailabilityOf } from '../../src/platform/db/unavailable.ts'
import { testDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const ALL = { partners: '*', actor: 'service' } as const
const SECOND = 'a unit of work has one connection: this is a second'
const POOL_MAX = 12

let pool: ConnectionPool
let database: Database
beforeAll(async () => {
  pool = await testDatabase('migrated')
  database = { pool, settings: {} as Settings, beforeCommit: [] }
})

const today = (on: Database) => transaction(on, ALL, async tx => tx.today)

test('a second connection within a transaction is refused, whoever requests it', async () => {
  const ways: Record<string, () => Promise<unknown>> = {
    transaction: () => today(database),
    query: () => pool.query('select 1'),
    connect: () => pool.connect(),
    session: () => pool.session(),
    later: () => new Promise(resolve => setImmediate(resolve)).then(() => pool.query('select 1')),
  }
  for (const [name, send] of Object.entries(ways)) {
    await expect(transaction(database, ALL, send), name).rejects.toThrow(SECOND)
  }
  const beforeCommit = [async () => void (await pool.query('select 1'))]
  await expect(today({ ...database, beforeCommit })).rejects.toThrow(SECOND)
  expect(pool.idleCount).toBe(pool.totalCount)
})

test('code after a commit may take a connection, and one of another pool is allowed', async () => {
  const other = await testDatabase('migrated')
  const after = Promise.withResolvers<unknown>()
  await transaction(database, ALL, async tx => {
    tx.afterCommit(() => after.resolve(today(database)))
    await other.query('select 1')
  })
  expect(await after.promise).toBe(await today(database))
})

test('a session ended by the server frees its place, whatever its holder does', async () => {
  const never = new Promise<never>(() => {})
  const pids: number[] = []
  for (let n = 0; n < POOL_MAX; n++) {
    void withConnection(pool, async client => {
      pids.push((await client.query('select pg_backend_pid() as pid')).rows[0].pid)
      return never
    })
  }
  await until(() => pids.length === POOL_MAX)
  expect(pool.idleCount).toBe(0)
  // The pool is exhausted, so a separate session must end its connections.
  const session = await pool.session()
  await session.query('select pg_terminate_backend(pid) from unnest($1::int[]) as p (pid)', [pids])
  await session.end()
  expect(await today(database)).toBeTruthy()
  expect(await Promise.all(Array.from({ length: 40 }, () => today(database)))).toHaveLength(40)
})

/** Ends the session of a transaction from outside. */
async function cut(tx: Tx): Promise<void> {
  const { pid } = await tx.one(sql<{ pid: number }>`select pg_backend_pid() as pid`)
  const other = await testDatabase('empty')
  await other.query('select pg_terminate_backend($1)', [pid])
  await until(async () => {
    const { rows } = await other.query('select from pg_stat_activity where pid = $1', [pid])
    return rows.length === 0
  })
}

test('a session that ends before the commit leaves only writes in doubt', async () => {
  const writes = transaction(database, ALL, cut)
  await expect(writes).rejects.toThrow(CommitUnknownError)
  const reads = transaction(database, { ...ALL, read_only: true }, cut)
  await expect(reads).rejects.toSatisfy(error => unavailabilityOf(error) === 'away')
})

test('a server without disk space for a new session says so', async () => {
  const full = Object.assign(new Error('could not write init file'), { code: '53100' })
  class Client extends pg.Client {}
  Object.assign(Client.prototype, { connect: (done: (error: Error) => void) => done(full) })
  const failing = connect({ ...pool.options, Client } as never, () => {})
  const requested = transaction({ ...database, pool: failing }, ALL, async () => {})
  await expect(requested).rejects.toSatisfy(error => unavailabilityOf(error) === 'full')
  await failing.end()
})

test('a transaction whose session was ended fails, and the next one works', async () => {
  const ended = transaction(database, ALL, async tx => {
    await cut(tx)
    await tx.one(sql`select 1`)
  })
  await expect(ended).rejects.toThrow()
  expect(await today(database)).toBeTruthy()
  expect(pool.idleCount).toBe(pool.totalCount)
})
