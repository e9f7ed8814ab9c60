/** A request answered with 504 leaves the queues in which it waits. */
import type { FastifyRequest } from 'fastify'
import pg from 'pg'
import { expect, test } from 'vitest'
import { forClient } from '../../src/entrypoints/http/abandon-reads.ts'
import { inReadingTurn } from '../../src/entrypoints/http/large-bodies.ts'
import { buildHttpServer } from '../../src/entrypoints/http/server.ts'
import { handlers } from '../../src/handlers.ts'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { testApp } from '../support/app.ts'
import { closeAfterwards } from '../support/closing.ts'
import { until } from '../support/until.ts'

const ANSWER_MS_MAX = 500

const { context, key, client } = await testApp({ connections: POOL_MAX, work: false })
const { pool } = context.database
const hurried = await buildHttpServer(context, handlers, { answer_ms_max: ANSWER_MS_MAX })
closeAfterwards(() => hurried.close())

let reads = 0
Object.assign(context.database, {
  beforeStatement: async (texts: readonly string[]) => {
    reads += texts.filter(text => /^\s*select l\.\*/.test(text)).length
  },
})

const A_LOAN = '/loan/00000000-0000-7000-8000-000000000000'

test.each([
  ['a list that waits for its turn', '/loans', 1],
  ['a single resource that waits for a connection', A_LOAN, POOL_MAX / 2],
])('%s is not read after its 504', async (_, url, at_once) => {
  const blocker = new pg.Client(pool.options)
  await blocker.connect()
  try {
    reads = 0
    await blocker.query('begin; lock table loans in access exclusive mode')
    const headers = { authorization: `Bearer ${key}` }
    const answers = await Promise.all(
      Array.from({ length: POOL_MAX }, () => hurried.inject({ url, headers })),
    )
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(POOL_MAX).fill(504))
    expect(answers[0]!.json().detail).toMatch(/Idempotency-Key or salt_id/)
    await blocker.query('rollback')
  } finally {
    await blocker.end()
  }
  // Served after everything that still waits in this partner's queues.
  await client.listLoans()
  expect(reads).toBeLessThanOrEqual(at_once + 1)
})

test('a write whose body was not read before its 504 never begins', async () => {
  const body = { owner: 'busy', bytes: 100_000 }
  const request = { raw: {}, decision_id: null, large_body: null, held_body: body }
  let begun = 0
  const held = Promise.withResolvers<void>()
  const write = (answer_ms_max: number | null) => {
    const requested = request as unknown as FastifyRequest
    const busy = async () => {
      begun += 1
      await held.promise
    }
    const service = { method: 'POST', owner: 'busy', answer_ms_max } as const
    return forClient(requested, service, () => inReadingTurn(requested, busy))
  }
  const reading = Array.from({ length: 4 }, () => write(null))
  await until(() => begun === 4)
  await expect(write(10)).rejects.toMatchObject({ code: 'timed_out' })
  const later = write(null)
  held.resolve()
  await Promise.all([...reading, later])
  expect(begun).toBe(5)
})
