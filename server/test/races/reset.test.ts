/** A reset and a read of a snapshot wait for each other: a snapshot has all of the data or none. */
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { writeArchive } from '../../src/entrypoints/archive/index.ts'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { lockForReset } from '../../src/platform/db/resets.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import type { Scope } from '../../src/platform/db/turns.ts'
import { emptyDeployment } from '../../src/sandbox/reset.ts'
import { testApp } from '../support/app.ts'
import { closeAfterwards } from '../support/closing.ts'
import { readyBorrower } from '../support/story.ts'
import { until } from '../support/until.ts'

const ALL = { partners: '*', actor: 'service' } as const
const app = await testApp({ connections: POOL_MAX, work: false })
const { database } = app.context

/** A connection outside the pool, closed after the tests. */
async function connected(): Promise<pg.Client> {
  const name = database.pool.options.database!
  const client = new pg.Client({ ...inject('server'), database: name })
  await client.connect()
  closeAfterwards(() => client.end())
  return client
}

const watcher = await connected()

async function isWaiting(): Promise<boolean> {
  const { rows } = await watcher.query(
    `select from pg_locks where not granted
      and database = (select oid from pg_database where datname = current_database())`,
  )
  return rows.length > 0
}

/** Runs `work` in a transaction and keeps it open; returns a function that commits it. */
async function held(scope: Scope, work: (tx: Tx) => Promise<unknown> = async () => {}) {
  const begun = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const whole = transaction(database, scope, async tx => {
    await work(tx)
    begun.resolve()
    await released.promise
  })
  await Promise.race([begun.promise, whole])
  return async () => {
    released.resolve()
    await whole
  }
}

test('an export has all data, and a reset waits for its end', async () => {
  await readyBorrower(app)
  let is_reset = false
  let reset: Promise<unknown> | null = null
  const client = await connected()
  const query = client.query.bind(client)
  Object.assign(client, {
    query: async (given: string) => {
      if (!String(given).includes('mode from deployment')) return query(given)
      // The export has taken its snapshot by now.
      reset = app.client.resetSandbox().then(() => {
        is_reset = true
      })
      await until(async () => is_reset || (await isWaiting()))
      Object.assign(client, { query })
      return query(given)
    },
  })
  const target = new PassThrough()
  const written = writeArchive(client, target, () => {})
  const text = gunzipSync(await buffer(target)).toString()
  await written
  const section = (name: string) => text.split(`{"section":"${name}"}\n`)[1]!.split('\\.')[0]
  expect(section('borrowers')).not.toBe('')
  await reset
  expect((await app.client.listBorrowers()).data).toEqual([])
})

test('a report that begins during a reset reads the data after it', async () => {
  await readyBorrower(app)
  await transaction(database, ALL, tx => tx.run(sql`update partners set exposure = 5`))
  const resetting = await held(ALL, async tx => {
    await lockForReset(tx)
    await emptyDeployment(tx)
  })
  let is_read = false
  const report = transaction(database, { ...ALL, snapshot: true }, async tx => {
    const partners = await tx.all(sql<{ exposure: bigint }>`select exposure from partners`)
    is_read = true
    const borrowers = await tx.all(sql`select from borrowers`)
    return { exposures: partners.map(({ exposure }) => exposure), borrowers }
  })
  await until(async () => is_read || (await isWaiting()))
  await resetting()
  expect(await report).toEqual({ exposures: [0n, 0n], borrowers: [] })
})

test('a reset waits for a report for a while, and is then refused', async () => {
  const reading = await held({ ...ALL, snapshot: true })
  const refused = transaction(database, ALL, tx => lockForReset(tx, 50))
  await expect(refused).rejects.toMatchObject({ code: 'not_ready' })
  await reading()
})

test('a reset whose client leaves before its turn changes nothing', async () => {
  const { id } = await readyBorrower(app)
  const leaving = new AbortController()
  let has_left = false
  app.httpServer.server.once('request', (_, response) => {
    response.once('close', () => {
      has_left = true
    })
  })
  const reading = await held({ ...ALL, snapshot: true })
  const headers = { authorization: `Bearer ${app.key}` }
  const init = { method: 'POST', headers, signal: leaving.signal }
  const answer = expect(fetch(`${app.base_url}/sandbox/reset`, init)).rejects.toThrow()
  await until(isWaiting)
  leaving.abort()
  await answer
  await until(() => has_left)
  await reading()
  // Waits behind the abandoned reset, so by now that reset would have run.
  await transaction(database, ALL, tx => lockForReset(tx))
  expect((await app.client.getBorrower({ borrower_id: id })).id).toBe(id)
})
