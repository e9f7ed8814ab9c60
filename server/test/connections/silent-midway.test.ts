/**
 * A connection that goes silent within a transaction costs only seconds: the work runs again,
 * unless it may have been committed.
 */
import { sql } from 'kysely'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { answered, confirmBackend } from '../../src/platform/db/answer-watch.ts'
import { CommitUnknownError, transaction } from '../../src/platform/db/transaction.ts'
import { type Lost, type Proxied, proxied } from '../support/silent-proxy.ts'
import { until } from '../support/until.ts'

/** Far less than the 70 seconds that an answer may take. */
const SOON_MS = 25_000
const ALL = { partners: '*', actor: 'service' } as const

async function setUp(): Promise<Proxied> {
  const world = await proxied()
  await world.direct.query('create table kept (n int)')
  return world
}

const kept = async ({ direct }: Proxied) => (await direct.query('select n from kept')).rows.length
const keep = sql`insert into kept values (1)`

/** The number of other sessions in a transaction. */
const inTransaction = async ({ direct }: Proxied) => {
  const { rows } = await direct.query(`select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`)
  return rows.length
}

/** Returns the outcome of `work`, which must end soon. */
async function soon<T>(work: Promise<T>): Promise<PromiseSettledResult<T>> {
  const begun = performance.now()
  const [ended] = await Promise.allSettled([work])
  expect(performance.now() - begun).toBeLessThan(SOON_MS)
  return ended
}

const LOST: Lost[] = ['requests', 'answers', 'both']

test.concurrent.for(LOST)('a statement whose %s are lost is run again', async lost => {
  const world = await setUp()
  const { database, proxy } = world
  let attempts = 0
  const work = transaction(database, ALL, async tx => {
    attempts += 1
    await tx.run(keep)
    if (attempts === 1) proxy.silenceAt('as slow', lost)
    await tx.raw('select 1 as slow')
  })
  expect(await soon(work)).toMatchObject({ status: 'fulfilled' })
  expect(attempts).toBe(2)
  expect(await kept(world)).toBe(1)
  // The abandoned transaction ends too, and releases its locks.
  await until(async () => (await inTransaction(world)) === 0, 5_000)
})

test.concurrent('writes that are not awaited are run again', async () => {
  const world = await setUp()
  const { database, proxy } = world
  let attempts = 0
  const work = transaction(database, ALL, async tx => {
    attempts += 1
    if (attempts === 1) proxy.silenceAt('values (2)', 'both')
    tx.send(sql`insert into kept values (2)`)
  })
  expect(await soon(work)).toMatchObject({ status: 'fulfilled' })
  expect([attempts, await kept(world)]).toEqual([2, 1])
})

test.concurrent('a commit that never arrived is rolled back and run again', async () => {
  const world = await setUp()
  const { database, proxy } = world
  let attempts = 0
  const work = transaction(database, ALL, async tx => {
    attempts += 1
    await tx.run(keep)
    if (attempts === 1) proxy.silenceAt('commit', 'both')
  })
  expect(await soon(work)).toMatchObject({ status: 'fulfilled' })
  expect([attempts, await kept(world)]).toEqual([2, 1])
})

test.concurrent('a commit whose answer is lost has an unknown outcome', async () => {
  const world = await setUp()
  const { database, proxy } = world
  let attempts = 0
  const work = transaction(database, ALL, async tx => {
    attempts += 1
    await tx.run(keep)
    proxy.silenceAt('commit', 'answers')
  })
  const ended = await soon(work)
  expect(ended).toMatchObject({ status: 'rejected', reason: expect.any(CommitUnknownError) })
  expect([attempts, await kept(world)]).toEqual([1, 1])
})

test.concurrent('a slow statement and one that waits for a lock are not silent', async () => {
  const world = await setUp()
  const { database, direct } = world
  await transaction(database, ALL, async tx => {
    await tx.run(keep)
  })
  const holder = await direct.connect()
  await holder.query('begin; lock table kept')
  let attempts = 0
  const work = transaction(database, ALL, async tx => {
    attempts += 1
    await tx.run(keep)
    await tx.run(sql`select pg_sleep(4)`)
  })
  const waits = `select from pg_stat_activity where wait_event_type = 'Lock'
    and datname = current_database() and clock_timestamp() - query_start > interval '8 s'`
  await until(async () => (await holder.query(waits)).rows.length > 0)
  await holder.query('commit')
  holder.release()
  expect(await soon(work)).toMatchObject({ status: 'fulfilled' })
  expect([attempts, await kept(world)]).toEqual([1, 2])
})

test.concurrent('a session that another client may use by now is left alone', async () => {
  const { direct, pool, proxy } = await setUp()
  const client = await pool.connect()
  const { rows } = await client
    .query('begin; select pg_backend_pid() as pid')
    .then(answers => (answers as unknown as pg.QueryResult[]).at(-1)!)
  confirmBackend(client, rows[0].pid + 1)
  proxy.silence('both')
  const query = { text: 'select', query_timeout: 9_000 }
  await expect(answered(client, client.query(query))).rejects.toThrow('Query read timeout')
  client.release(true)
  const ended = await direct.query('select pg_terminate_backend($1) as was_there', [rows[0].pid])
  expect(ended.rows).toEqual([{ was_there: true }])
})
