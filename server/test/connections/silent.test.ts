/**
 * Connections whose answers are lost silently, as at a firewall or in a failover, cost the requests
 * that use them a few seconds, and nothing else.
 */
import type { Socket } from 'node:net'
import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type HttpFixture, startHttpFixture } from '../http/fixture.ts'

const POOL_MAX = 12
/** Allows for two silent connections, one at the key's lookup and one in the transaction. */
const ANSWERED_MS_MAX = 9_000

let app: HttpFixture
beforeAll(async () => {
  app = await startHttpFixture()
})
afterAll(() => app.stop())

const requires = async () => (await app.fetch('/keys')).status

/** Opens all connections of the pool, releases them, and loses what `count` of them receive. */
async function silence(count: number): Promise<void> {
  const { pool } = app.database
  const clients = await Promise.all(Array.from({ length: POOL_MAX }, () => pool.connect()))
  for (const client of clients) client.release()
  // The pool takes the most recently released connection first.
  for (const client of clients.slice(-count)) streamOf(client).pause()
}

function streamOf(client: pg.PoolClient): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream
}

it.each([1, POOL_MAX])('%i of twelve fall silent', async count => {
  await silence(count)
  const begun = performance.now()
  const first = await Promise.all(Array.from({ length: 8 }, requires))
  expect(new Set(first)).toEqual(new Set([200]))
  expect(performance.now() - begun).toBeLessThan(ANSWERED_MS_MAX)
  expect((await app.fetch('/readyz', { key: null })).status).toBe(200)
  const again = performance.now()
  expect(await requires()).toBe(200)
  expect(performance.now() - again).toBeLessThan(1_000)
})
