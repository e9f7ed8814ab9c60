/** A document is not rendered for a client that has disconnected before its turn. */
import type { IncomingMessage } from 'node:http'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testApp } from '../support/app.ts'
import { readyBorrower } from '../support/story.ts'
import { until } from '../support/until.ts'

/** Holds documents back. Calling an element sends that document to the rendering thread. */
function holdDrawings(): (() => void)[] {
  const drawings: (() => void)[] = []
  const { postMessage } = Worker.prototype
  const spy = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (
    this: Worker,
    task: unknown,
  ) {
    drawings.push(() => postMessage.call(this, task))
  })
  onTestFinished(() => spy.mockRestore())
  return drawings
}

test('PDF statements are not rendered once their client has disconnected', async () => {
  const app = await testApp({ work: false })
  const { id } = await readyBorrower(app)
  const arrived: IncomingMessage[] = []
  app.httpServer.server.on('request', request => arrived.push(request))
  const drawings = holdDrawings()
  const path = `/borrower/${id}/statement?from=2027-01-01&to=2027-01-31&format=pdf`
  const draw = async (signal: AbortSignal | null = null) => {
    const headers = { authorization: `Bearer ${app.key}` }
    const answer = await fetch(app.base_url + path, { headers, signal })
    return [answer.status, answer.headers.get('content-type')]
  }
  const first = draw()
  await until(() => drawings.length === 1)
  const leaving = new AbortController()
  const left = Array.from({ length: 5 }, () => draw(leaving.signal))
  await until(() => arrived.length === 6)
  leaving.abort()
  await Promise.allSettled(left)
  await until(() => arrived.slice(1).every(({ socket }) => socket.closed))
  drawings[0]!()
  expect(await first).toEqual([200, 'application/pdf'])
  // The abandoned documents come before this one in their partner's queue.
  const last = draw()
  await until(() => drawings.length === 2)
  drawings[1]!()
  expect(await last).toEqual([200, 'application/pdf'])
  expect(drawings).toHaveLength(2)
})
