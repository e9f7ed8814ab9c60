/** Partners that wait to move the clock take turns, and a disconnected client loses its turn. */
import type { IncomingMessage } from 'node:http'
import pg from 'pg'
import { expect, test } from 'vitest'
import { LOCKS } from '../../src/platform/db/locks.ts'
import { testApp } from '../support/app.ts'
import { plusDays, today } from '../support/story.ts'
import { until } from '../support/until.ts'

const app = await testApp({ work: false })

/** Runs `work` while another session holds the lock of the business day; returns its result. */
async function besideOtherProcess<T>(work: () => Promise<T>): Promise<T> {
  const other = new pg.Client(app.context.database.pool.options)
  await other.connect()
  try {
    await other.query('select pg_advisory_lock($1)', [LOCKS.business_day])
    return await work()
  } finally {
    await other.end()
  }
}

function advance(key: string, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${app.base_url}/sandbox/clock/advance`, {
    method: 'POST',
    body: '{"days":1}',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    signal,
  })
}

/** Counts incoming requests, so that a test can wait until a call has joined the queue. */
function arrivals() {
  const arrived: IncomingMessage[] = []
  const note = (request: IncomingMessage) => arrived.push(request)
  app.httpServer.server.on('request', note)
  const haveArrived = async (count: number) => {
    await until(() => arrived.length >= count && arrived.every(one => one.complete))
    // Once these calls are answered, the requests above have joined the queue.
    for (let n = 0; n < 5; n++) await app.second.hello()
  }
  return { arrived, haveArrived }
}

test('partners take turns', async () => {
  const { haveArrived } = arrivals()
  const ended: string[] = []
  const note = (name: string) => (answer: Response) => {
    expect(answer.status).toBe(200)
    ended.push(name)
  }
  const calls = await besideOtherProcess(async () => {
    const first = [1, 2, 3].map(n => advance(app.key).then(note(`first ${n}`)))
    await haveArrived(3)
    const second = advance(app.second_key).then(note('second'))
    await haveArrived(4)
    return [...first, second]
  })
  await Promise.all(calls)
  expect(ended.indexOf('second')).toBe(1)
})

test('calls whose clients leave before their turn move nothing', async () => {
  const { arrived, haveArrived } = arrivals()
  const start = await today(app)
  const leaving = new AbortController()
  await besideOtherProcess(async () => {
    const calls = [1, 2, 3].map(() => advance(app.key, leaving.signal))
    const refused = calls.map(call => expect(call).rejects.toThrow())
    await haveArrived(3)
    leaving.abort()
    await Promise.all(refused)
    await until(() => arrived.every(({ socket, url }) => !url!.includes('clock') || socket.closed))
  })
  const answer = await advance(app.second_key)
  expect(await answer.json()).toMatchObject({ business_date: `${plusDays(start, 1)}T00:00:00Z` })
})

test('a move that has begun continues without its client', async () => {
  const start = await today(app)
  const leaving = new AbortController()
  const begun = Promise.withResolvers<void>()
  const { database } = app.context
  Object.assign(database, {
    beforeStatement: async (texts: readonly string[]) => {
      if (!texts.some(text => text.includes('clock_offset_ms = greatest'))) return
      leaving.abort()
      begun.resolve()
    },
  })
  await expect(advance(app.key, leaving.signal)).rejects.toThrow()
  await begun.promise
  Object.assign(database, { beforeStatement: undefined })
  await until(async () => (await today(app)) === plusDays(start, 1))
})
