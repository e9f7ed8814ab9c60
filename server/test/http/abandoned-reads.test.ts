/** Reads for clients that have disconnected are abandoned; everything else continues. */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import pg from 'pg'
import { expect, test } from 'vitest'
import { forClient } from '../../src/entrypoints/http/abandon-reads.ts'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { requester, withRequester } from '../../src/platform/kit/requester.ts'
import { testApp } from '../support/app.ts'
import { createOperators } from '../support/console.ts'
import { approvedDecision } from '../support/decisions.ts'
import { until } from '../support/until.ts'

const app = await testApp({ connections: POOL_MAX, work: false })
const { ana } = await createOperators(app)
const { pool } = app.context.database

let pattern = /./
/** The number of statements sent that match the pattern. */
let sent = 0
Object.assign(app.context.database, {
  beforeStatement: async (texts: readonly string[]) => {
    sent += texts.filter(text => pattern.test(text)).length
  },
})

interface AbandonedRead {
  readonly path: string
  readonly init?: RequestInit
}

/**
 * Sends these requests while the table is locked, and counts the statements that match. Disconnects
 * once all have arrived and `at_once` transactions, by default at least one, wait for the lock.
 */
async function askAndLeave(
  requested: readonly AbandonedRead[],
  { table, statements = /./, at_once }: { table: string; statements?: RegExp; at_once?: number },
): Promise<void> {
  pattern = statements
  sent = 0
  const arrived: IncomingMessage[] = []
  const note = (request: IncomingMessage) => arrived.push(request)
  app.httpServer.server.on('request', note)
  const blocker = new pg.Client(pool.options)
  await blocker.connect()
  try {
    await blocker.query(`begin; lock table ${table} in access exclusive mode`)
    const leaving = new AbortController()
    const answers = requested.map(({ path, init }) =>
      fetch(app.base_url + path, {
        ...init,
        headers: { authorization: `Bearer ${app.key}`, ...init?.headers },
        signal: leaving.signal,
      }),
    )
    const waiting = `select count(*)::int as count from pg_locks
      where not granted and relation = '${table}'::regclass
        and database = (select oid from pg_database where datname = current_database())`
    await until(async () => {
      const { rows } = await blocker.query(waiting)
      const have_arrived = arrived.length === requested.length && arrived.every(one => one.complete)
      return have_arrived && (at_once ? rows[0].count === at_once : rows[0].count > 0)
    })
    leaving.abort()
    const outcomes = await Promise.allSettled(answers)
    expect(outcomes.map(({ status }) => status)).toEqual(requested.map(() => 'rejected'))
    await until(() => arrived.every(({ socket }) => socket.closed))
    await blocker.query('rollback')
  } finally {
    await blocker.end()
    app.httpServer.server.off('request', note)
  }
}

const A_LOAN = '/loan/00000000-0000-7000-8000-000000000000'
const LISTS_LOANS = /^\s*select l\.\*/
const json = (body: unknown, headers = {}) => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
})

test.each([
  ['a list waits for its turn', '/loans', 1],
  ['a single resource waits for a connection', A_LOAN, POOL_MAX / 2],
])('%s only until its client disconnects', async (_name, path, at_once) => {
  const reads = Array(POOL_MAX).fill({ path })
  await askAndLeave(reads, { table: 'loans', statements: LISTS_LOANS, at_once })
  await app.client.listLoans()
  expect(sent).toBe(at_once + 1)
})

test('a read of the back office waits only until its client disconnects', async () => {
  const { cookie } = ana
  const reads = Array(POOL_MAX).fill({ path: '/admin/products', init: { headers: { cookie } } })
  const statements = /\bfrom products\b/
  const at_once = POOL_MAX / 2
  await askAndLeave(reads, { table: 'products', statements, at_once })
  await ana.admin('listProducts')
  expect(sent).toBe(at_once + 1)
})

test('writes continue, even if they still wait for a connection', async () => {
  const businesses = await Promise.all(
    Array.from({ length: POOL_MAX }, () =>
      app.client.generateSandboxBusiness({ is_borrower: true }),
    ),
  )
  const writes = businesses.map(body => ({ path: '/borrowers', init: json(body) }))
  await askAndLeave(writes, { table: 'borrowers' })
  const created = async () => (await app.client.listBorrowers({ page_size: 100 })).data.length
  await until(async () => (await created()) === writes.length)
})

test('the writes of an MCP list continue, and its reads do not', async () => {
  const body = { name: 'by a tool', actor: 'agent', scopes: ['loans:read'] }
  const step = { method: 'POST', path: '/keys', body } as const
  const { id: decision_id } = await approvedDecision(app, [step, step, step])
  const call = (id: number, name: string, args: object) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  })
  const write = (id: number) => call(id, 'createKey', { decision_id, body })
  const list = [write(1), call(2, 'listLoans', {}), write(3), write(4)]
  const headers = {
    authorization: `Bearer ${app.agent_key}`,
    accept: 'application/json, text/event-stream',
  }
  await askAndLeave([{ path: '/mcp', init: json(list, headers) }], {
    table: 'decision_steps',
    at_once: 1,
  })
  pattern = LISTS_LOANS
  sent = 0
  await until(async () => (await app.client.getDecision({ decision_id })).status === 'EXECUTED')
  const { data } = await app.client.listKeys()
  expect(data.filter(({ name }) => name === 'by a tool')).toHaveLength(3)
  expect(sent).toBe(0)
})

test.each([
  ['a read', 'GET', null, true],
  ['a read under a decision', 'GET', 'a decision', false],
  ['a write', 'POST', null, false],
] as const)('%s (%s, %s) ends with its client: %s', async (_, method, decision_id, leaves) => {
  const parent = new AbortController()
  const request = { raw: {}, decision_id } as unknown as FastifyRequest
  const work = async () => {
    parent.abort(new Error('gone'))
    return requester()?.signal?.aborted ?? false
  }
  const service = { method, owner: 'a', answer_ms_max: null }
  const left = withRequester('a', parent.signal, () => forClient(request, service, work))
  expect(await left).toBe(leaves)
})
