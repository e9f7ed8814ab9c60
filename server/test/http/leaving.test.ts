/** Reads for clients that have disconnected are abandoned. */
import type { IncomingMessage } from 'node:http'
import pg from 'pg'
import { expect, test } from 'vitest'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { testApp } from '../support/app.ts'
import { until } from '../support/until.ts'

const app = await testApp({ connections: POOL_MAX, work: false })
const { pool } = app.context.database

let lists = 0
Object.assign(app.context.database, {
  beforeStatement: async (texts: readonly string[]) => {
    lists += texts.filter(text => /^\s*select l\.\*/.test(text)).length
  },
})

/**
 * Requests these paths while loans are locked; disconnects once `at_once` lists wait for the lock.
 */
async function askAndLeave(paths: readonly string[], at_once: number): Promise<void> {
  lists = 0
  const asked: IncomingMessage[] = []
  const note = (request: IncomingMessage) => asked.push(request)
  app.httpServer.server.on('request', note)
  const blocker = new pg.Client(pool.options)
  await blocker.connect()
  try {
    await blocker.query('begin; lock table loans in access exclusive mode')
    const leaving = new AbortController()
    const answers = paths.map(path =>
      fetch(app.base_url + path, {
        headers: { authorization: `Bearer ${app.key}` },
        signal: leaving.signal,
      }),
    )
    await until(() => asked.length === paths.length && lists === at_once)
    leaving.abort()
    const outcomes = await Promise.allSettled(answers)
    expect(outcomes.map(({ status }) => status)).toEqual(paths.map(() => 'rejected'))
    await until(() => asked.every(({ socket }) => socket.closed))
    await blocker.query('rollback')
  } finally {
    await blocker.end()
    app.httpServer.server.off('request', note)
  }
}

const A_LOAN = '/loan/00000000-0000-7000-8000-000000000000'

test.each([
  ['a list waits for its turn', '/loans', 1],
  ['a single resource waits for a connection', A_LOAN, POOL_MAX / 2],
])('%s only until its client disconnects', async (_name, path, at_once) => {
  await askAndLeave(Array(POOL_MAX).fill(path), at_once)
  await app.client.listLoans()
  expect(lists).toBe(at_once + 1)
})
