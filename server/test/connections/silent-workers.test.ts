/** A silent connection costs a worker, a lock or a probe only seconds, wherever it occurs. */
import { sql } from 'kysely'
import type pg from 'pg'
import { expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { createPartner } from '../../src/platform/access/index.ts'
import { noteUse } from '../../src/platform/access/store.ts'
import { withSessionLock } from '../../src/platform/db/session-lock.ts'
import type { Settings } from '../../src/platform/db/settings.ts'
import { type Database, transaction } from '../../src/platform/db/transaction.ts'
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
import { testDatabase } from '../support/database.ts'
import { silentProxy, throughProxy } from '../support/silent-proxy.ts'

const POOL_MAX = 12
/** Far less than the 70 seconds that an answer may take. */
const SOON_MS = 20_000
const READY_MS_MAX = 2_000
const PATIENT = { timeout: 90_000 }
const ALL = { partners: '*' } as const
const NAME = 'send_mail'
const LOCK = 4_711

const direct = await testDatabase('migrated')
const proxy = await silentProxy()
const pool = throughProxy(proxy, direct)
const settings = {} as Settings
const database: Database = { pool, settings, beforeCommit: [] }

/** Opens all connections of a pool, releases them and silences them. */
async function silence(of: pg.Pool = pool, by = proxy): Promise<void> {
  const clients = await Promise.all(Array.from({ length: POOL_MAX }, () => of.connect()))
  for (const client of clients) client.release()
  by.silence('both')
}

async function soon<T>(work: Promise<T>, ms = SOON_MS): Promise<T> {
  const begun = performance.now()
  const result = await work
  expect(performance.now() - begun).toBeLessThan(ms)
  return result
}

const jobsLeft = async () => (await direct.query('select * from jobs')).rows

async function putJob(): Promise<void> {
  await direct.query('delete from jobs')
  const on = { pool: direct, settings, beforeCommit: [flushJobs] }
  await transaction(on, ALL, async tx =>
    enqueue(tx, NAME, { partner_id: LENDER_ID, mail_id: newId() }),
  )
}

/** Runs the queue once, with this handler. */
function run(outside: () => Promise<void>): Promise<number> {
  const handlers = { [NAME]: { outside } } as unknown as JobHandlers<Context>
  return new JobQueue(pool).runOnce(NAME, handlers, { database } as Context, () => {})
}

test('a worker looks for jobs', PATIENT, async () => {
  await putJob()
  await silence()
  expect(await soon(new JobQueue(pool).look([NAME]))).toEqual([NAME])
  await silence()
  expect(await soon(new JobQueue(pool).isPending('infinity'))).toBe(true)
})

test('a worker takes jobs and completes them', PATIENT, async () => {
  await putJob()
  await silence()
  expect(await soon(run(() => silence()))).toBe(1)
  expect(await jobsLeft()).toEqual([])
})

test('a worker puts a failed job back', PATIENT, async () => {
  await putJob()
  const failing = async () => {
    await silence()
    throw new Error('no mail today')
  }
  await soon(run(failing))
  expect(await jobsLeft()).toMatchObject([{ last_error: 'Error: no mail today', is_leased: false }])
})

test('jobs left behind by a worker are rescued', PATIENT, async () => {
  await putJob()
  await direct.query(`update jobs set is_leased = true, held_until = 'infinity'`)
  await silence()
  await soon(new JobQueue(pool).rescue())
  expect(await jobsLeft()).toMatchObject([{ is_leased: false }])
})

test('the use of a key is recorded', PATIENT, async () => {
  const { partner_id, key } = await transaction(database, ALL, tx =>
    createPartner(tx, { name: 'Acme' }),
  )
  await silence()
  await soon(noteUse(database, { partner_id, id: key.id }))
  const used = await transaction(database, ALL, tx =>
    tx.all(sql`select from keys where id = ${key.id} and last_used_at is not null`),
  )
  expect(used).toHaveLength(1)
})

/** The number of sessions that hold an advisory lock with this key in the test's database. */
async function holders(key: number): Promise<number> {
  const { rows } = await direct.query(`select from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())
    and objid = ${key}`)
  return rows.length
}

test('a lock is released, though its session is silent', PATIENT, async () => {
  const { signal } = new AbortController()
  const held = withSessionLock(pool, LOCK, signal, async lock => {
    await lock.check()
    expect(await holders(LOCK)).toBe(1)
    proxy.silence('both')
  })
  await soon(held)
  expect(await holders(LOCK)).toBe(0)
})

test('the holder of a lock learns that its session is silent', PATIENT, async () => {
  const { signal } = new AbortController()
  const held = withSessionLock(pool, LOCK, signal, async lock => {
    proxy.silence('both')
    await lock.check()
  })
  await expect(soon(held)).rejects.toThrow('the session that held the lock 4711 was lost')
})

const PRESENCE = 7_320_005

test.each([
  'idle_session_timeout',
  'pg_try_advisory_lock(',
  'pg_try_advisory_lock_shared',
  'pg_advisory_unlock',
])('a worker registers, though its session goes silent at %s', PATIENT, async text => {
  const presence = createPresence(pool, new AbortController().signal)
  let rescues = 0
  proxy.silenceAt(text, 'both')
  const registering = presence.renew(async () => {
    rescues += 1
  })
  await soon(registering)
  expect(rescues).toBeGreaterThan(0)
  expect(await holders(PRESENCE)).toBe(1)
  presence.end()
  await expect.poll(() => holders(PRESENCE)).toBe(0)
})

test('a worker registers again when its session has gone silent', PATIENT, async () => {
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
  expect(await holders(PRESENCE)).toBe(1)
  presence.end()
})

test('/readyz says that it is not ready within its time, and recovers', PATIENT, async () => {
  const before_http = await silentProxy()
  const server = { host: '127.0.0.1', port: before_http.port }
  const app = await startHttpFixture({ server })
  closeAfterwards(() => app.stop())
  const ready = async () => (await app.fetch('/readyz', { key: null })).status
  expect(await ready()).toBe(200)
  await silence(app.database.pool, before_http)
  expect(await soon(ready(), READY_MS_MAX + 1_000)).toBe(503)
  expect(await soon(ready(), READY_MS_MAX)).toBe(200)
  expect(await soon(ready(), READY_MS_MAX)).toBe(200)
})
