/** /readyz needs no key, so concurrent requests share one database check. */
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { pendingMigrations } from '../../src/platform/db/migrate.ts'
import { type HttpFixture, startHttpFixture } from '../http/fixture.ts'
import { asAdmin } from '../support/admin.ts'
import { until } from '../support/until.ts'

const MANY = 400
const POOL_MAX = 12
const SOON_MS = 5_000

let app: HttpFixture
let acquired = 0
const count = () => {
  acquired++
}
beforeAll(async () => {
  app = await startHttpFixture()
  app.database.pool.on('acquire', count)
})
beforeEach(() => {
  acquired = 0
})
let taken: pg.PoolClient[] = []
const giveBack = () => {
  for (const client of taken.splice(0)) client.release()
}
afterEach(giveBack)
afterAll(() => app.stop())

const isReady = async () => (await app.fetch('/readyz', { key: null })).status
const send = () => Promise.all(Array.from({ length: MANY }, isReady))

it('many concurrent requests take few connections', async () => {
  expect(new Set(await send())).toEqual(new Set([200]))
  expect(acquired).toBeLessThan(10)
})

it('many concurrent requests rarely write to a full disk', async () => {
  const { pool } = app.database
  const name = pool.options.database
  await asAdmin(`alter database ${name} set default_transaction_read_only = true`)
  await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  await until(() => pool.totalCount === 0)
  pool.refuses_writes = true
  expect(new Set(await send())).toEqual(new Set([503]))
  expect(acquired).toBeLessThan(10)
  await asAdmin(`alter database ${name} set default_transaction_read_only = false`)
  await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  await until(() => pool.totalCount === 0)
  expect(await isReady()).toBe(200)
  expect(pool.refuses_writes).toBe(false)
})

it('without a free connection, few requests wait for one, and all are answered soon', async () => {
  const { pool } = app.database
  taken = await Promise.all(Array.from({ length: POOL_MAX }, () => pool.connect()))
  const began = performance.now()
  const requested = send()
  await until(() => pool.waitingCount > 0)
  let most = 0
  const look = setInterval(() => {
    most = Math.max(most, pool.waitingCount)
  }, 5)
  const output = await requested
  clearInterval(look)
  expect(new Set(output)).toEqual(new Set([503]))
  expect(performance.now() - began).toBeLessThan(SOON_MS)
  expect(most).toBeLessThan(5)
  giveBack()
  expect(await isReady()).toBe(200)
})

it('pending migrations are known without reading the files again', async () => {
  const query = async () => ({ rows: [] }) as unknown as pg.QueryResult
  await pendingMigrations({ query } as unknown as pg.Pool)
  const before = process.threadCpuUsage()
  for (let n = 0; n < MANY; n++) await pendingMigrations({ query } as unknown as pg.Pool)
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / MANY).toBeLessThan(200)
})
