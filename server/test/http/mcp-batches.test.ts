/** Batches of MCP messages: calls run one after the other, up to a limit of bytes and time. */
import { afterEach, expect, test, vi } from 'vitest'
import { inSequence } from '../../src/entrypoints/http/mcp-batch.ts'
import type { Answer, ToolRequest } from '../../src/entrypoints/mcp/index.ts'

afterEach(() => void vi.useRealTimers())

const requested = { method: 'GET', address: '/loans' } as ToolRequest
const answerOf = (bytes: number, status = 200): Answer => {
  return { status, type: 'application/json', bytes: Buffer.alloc(bytes) }
}

test('one runs at a time, even after one fails', async () => {
  let [running, most, calls] = [0, 0, 0]
  const send = inSequence(
    async () => {
      running += 1
      calls += 1
      most = Math.max(most, running)
      await new Promise(resolve => setImmediate(resolve))
      running -= 1
      if (calls === 2) throw new Error('lost')
      return answerOf(1)
    },
    { bytes: 1_000, ms: 60_000, signal: null },
    () => answerOf(0, 429),
  )
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => send(requested)))
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ])
  expect([most, calls]).toEqual([1, 4])
})

test('calls after the byte limit are refused without running', async () => {
  let calls = 0
  const send = inSequence(
    async () => {
      calls += 1
      return answerOf(600)
    },
    { bytes: 1_000, ms: 60_000, signal: null },
    () => answerOf(0, 429),
  )
  const answers = await Promise.all([1, 2, 3, 4].map(() => send(requested)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429])
  expect(calls).toBe(2)
})

test('calls after the time limit are refused, however short the answers are', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  let calls = 0
  const send = inSequence(
    async () => {
      calls += 1
      vi.advanceTimersByTime(400)
      return answerOf(1)
    },
    { bytes: 1_000, ms: 700, signal: null },
    () => answerOf(0, 429),
  )
  const answers = await Promise.all([1, 2, 3, 4].map(() => send(requested)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429])
  expect(calls).toBe(2)
})

test('no further call is made once the client has disconnected', async () => {
  const leaving = new AbortController()
  let calls = 0
  const send = inSequence(
    async () => {
      calls += 1
      leaving.abort()
      return answerOf(1)
    },
    { bytes: 1_000, ms: 60_000, signal: leaving.signal },
    () => answerOf(0, 429),
  )
  const answers = await Promise.all([1, 2, 3].map(() => send(requested)))
  expect(answers.map(({ status }) => status)).toEqual([200, 429, 429])
  expect(calls).toBe(1)
})
