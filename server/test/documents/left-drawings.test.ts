/** A document is not drawn for a client that has disconnected before its turn. */
import type { IncomingMessage } from 'node:http'
import { expect, test, vi } from 'vitest'
import { testApp } from '../support/app.ts'
import { readyBorrower } from '../support/story.ts'
import { until } from '../support/until.ts'

/** The drawings begun, each of which waits until it may end. */
const drawings: (() => void)[] = []
vi.mock('../../src/platform/kit/thread.ts', async original => ({
  ...(await original<typeof import('../../src/platform/kit/thread.ts')>()),
  createThread: () => () =>
    new Promise(resolve => drawings.push(() => resolve(Buffer.from('%PDF')))),
}))

test('statements on paper are given up when their client disconnects', async () => {
  const app = await testApp({ work: false })
  const { id } = await readyBorrower(app)
  const arrived: IncomingMessage[] = []
  app.httpServer.server.on('request', request => arrived.push(request))
  const path = `/borrower/${id}/statement?from=2027-01-01&to=2027-01-31&format=pdf`
  const draw = (signal?: AbortSignal) =>
    fetch(app.base_url + path, {
      headers: { authorization: `Bearer ${app.key}` },
      ...(signal && { signal }),
    })
  const first = draw()
  await until(() => drawings.length === 1)
  const leaving = new AbortController()
  const left = Array.from({ length: 5 }, () => draw(leaving.signal))
  await until(() => arrived.length === 6)
  // Sent last and read like the others: when it is answered, they wait for their drawings.
  await app.client.listLoans()
  leaving.abort()
  await Promise.allSettled(left)
  await until(() => arrived.slice(1, 6).every(({ socket }) => socket.closed))
  const last = draw()
  drawings[0]!()
  expect((await first).status).toBe(200)
  await until(() => drawings.length === 2)
  drawings[1]!()
  expect((await last).status).toBe(200)
  expect(drawings).toHaveLength(2)
})
