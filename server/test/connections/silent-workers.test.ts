/**
 * A silent connection costs a worker, a lock or a probe only seconds, whichever statement it
 * interrupts.
 */
import { sql } from 'kysely'
import type pg from 'pg'
import { expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { createPartner } from '../../src/platform/access/index.ts'
import { noteUse } from '../../src/platform/access/store.ts'
import { withSessionLock } from '../../src/platform/db/session-lock.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import {
  createPresence,
  enqueue,
  flushJobs,
  type JobHandlers,
  JobQueue,
} from '../../src/platform/jobs/index.ts'
import { LENDER_ID, newId } from '../../src/platform/kit/ids.ts'
import { startHttpFixture } from '../http/fixture.ts'
import { closeAfterwards } from '../support/closing.ts'
import { type Proxied, proxied, type SilentProxy, silentProxy } from '../support/silent-proxy.ts'
import { until } from '../support/until.ts'

const POOL_MAX = 12
/** Far less than the 70 seconds that an answer may take. */
const SOON_MS = 20_000
const READY_MS_MAX = 2_000
const PATIENT = { timeout: 90_000 }
const ALL = { partners: '*', actor: 'service' } as const
const NAME = 'send_mail'
const LOCK = 4_711

/** Opens all connections of a pool, releases them and silences them. */
async function silence({ pool, proxy }: { pool: pg.Pool; proxy: SilentProxy }): Promise<void> {
  const clients = await Promise.all(Array.from({ length: POOL_MAX }, () => pool.connect()))
  for (const client of clients) client.release()
  proxy.silence('both')
}

async function soon<T>(work: Promise<T>, ms = SOON_MS): Promise<T> {
  const begun = performance.now()
  const result = await work
  expect(performance.now() - begun).toBeLessThan(ms)
  return result
}

const jobsLeft = async ({ direct }: Proxied) => (await direct.query('select * from jobs')).rows

async function withJob(): Promise<Proxied> {
  const world = await proxied()
  const on = { ...world.database, pool: world.direct, beforeCommit: [flushJobs] }
  await transaction(on, ALL, async tx =>
    enqueue(tx, NAME, { partner_id: LENDER_ID, mail_id: newId() }),
  )
  return world
}

function run({ database, pool }: Proxied, outside: () => Promise<void>): Promise<number> {
  const handlers = { [NAME]: { outside } } as unknown as JobHandlers<Context>
  return new JobQueue(pool).runOnce(NAME, handlers, { database } as Context, () => {})
}

test.concurrent('a worker looks for jobs', PATIENT, async () => {
  const world = await withJob()
  await silence(world)
  expect(await soon(new JobQueue(world.pool).look([NAME]))).toEqual([NAME])
  await silence(world)
  expect(await soon(new JobQueue(world.pool).isPending('infinity'))).toBe(true)
})

test.concurrent('a worker takes jobs and completes them', PATIENT, async () => {
  const world = await withJob()
  await silence(world)
  expect(await soon(run(world, () => silence(world)))).toBe(1)
  expect(await jobsLeft(world)).toEqual([])
})

test.concurrent('a worker puts a failed job back', PATIENT, async () => {
  const world = await withJob()
  const failing = async () => {
    await silence(world)
    throw new Error('no mail today')
  }
  await soon(run(world, failing))
  expect(await jobsLeft(world)).toMatchObject([
    { last_error: 'Error: no mail today', is_leased: false },
  ])
})

test.concurrent('jobs left behind by a worker are rescued', PATIENT, async () => {
  const world = await withJob()
  await world.direct.query(`update jobs set is_leased = true, held_until = 'infinity'`)
  await silence(world)
  await soon(new JobQueue(world.pool).rescue())
  expect(await jobsLeft(world)).toMatchObject([{ is_leased: false }])
})

test.concurrent('the use of a key is recorded', PATIENT, async () => {
  const world = await proxied()
  const { database } = world
  const { partner_id, key } = await transaction(database, ALL, tx =>
    createPartner(tx, { name: 'Acme' }),
  )
  await silence(world)
  await soon(noteUse(database, { partner_id, id: key.id }))
  const used = await transaction(database, ALL, tx =>
    tx.all(sql`select from keys where id = ${key.id} and last_used_at is not null`),
  )
  expect(used).toHaveLength(1)
})

/** The number of sessions that hold an advisory lock with this key in the test's database. */
async function holders({ direct }: Proxied, key: number): Promise<number> {
  const { rows } = await direct.query(`select from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())
    and objid = ${key}`)
  return rows.length
}

test.concurrent('a lock is released, though its session is silent', PATIENT, async () => {
  const world = await proxied()
  const { pool, proxy } = world
  const { signal } = new AbortController()
  const held = withSessionLock(pool, LOCK, signal, async lock => {
    await lock.check()
    expect(await holders(world, LOCK)).toBe(1)
    proxy.silence('both')
  })
  await soon(held)
  expect(await holders(world, LOCK)).toBe(0)
})

test.concurrent('the holder of a lock learns that its session is silent', PATIENT, async () => {
  const { pool, proxy } = await proxied()
  const { signal } = new AbortController()
  const held = withSessionLock(pool, LOCK, signal, async lock => {
    proxy.silence('both')
    await lock.check()
  })
  await expect(soon(held)).rejects.toThrow('the session that held the lock 4711 was lost')
})

const PRESENCE = 7_320_005

test.concurrent.for([
  'idle_session_timeout',
  'pg_try_advisory_lock(',
  'pg_try_advisory_lock_shared',
  'pg_advisory_unlock',
])('a worker registers, though its session goes silent at %s', PATIENT, async text => {
  const world = await proxied()
  const { pool, proxy } = world
  const presence = createPresence(pool, new AbortController().signal)
  let rescues = 0
  proxy.silenceAt(text, 'both')
  const registering = presence.renew(async () => {
    rescues += 1
  })
  await soon(registering)
  expect(rescues).toBeGreaterThan(0)
  expect(await holders(world, PRESENCE)).toBe(1)
  presence.end()
  await until(async () => (await holders(world, PRESENCE)) === 0)
})

test.concurrent('a worker registers again when its session has gone silent', PATIENT, async () => {
  const world = await proxied()
  const { pool, proxy } = world
  const presence = createPresence(pool, new AbortController().signal)
  await presence.renew(async () => {})
  proxy.silence('both')
  let rescues = 0
  await soon(
    presence.renew(async () => {
      rescues += 1
    }),
  )
  expect(rescues).toBe(1)
  expect(await holders(world, PRESENCE)).toBe(1)
  presence.end()
})

test.concurrent(
  '/readyz says that it is not ready within its time, and recovers',
  PATIENT,
  async () => {
    const before_http = await silentProxy()
    const server = { host: '127.0.0.1', port: before_http.port }
    const app = await startHttpFixture({ server })
    closeAfterwards(() => app.stop())
    const ready = async () => (await app.fetch('/readyz', { key: null })).status
    expect(await ready()).toBe(200)
    await silence({ pool: app.database.pool, proxy: before_http })
    expect(await soon(ready(), READY_MS_MAX + 1_000)).toBe(503)
    expect(await soon(ready(), READY_MS_MAX)).toBe(200)
    expect(await soon(ready(), READY_MS_MAX)).toBe(200)
  },
)
