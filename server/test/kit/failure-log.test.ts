/** Which repeats of a failure are logged. */
import { expect, test } from 'vitest'
import { createFailureLog } from '../../src/platform/kit/failure-log.ts'

const MINUTE_MS = 60_000

test('a failure that repeats is logged at growing intervals, with its number', () => {
  const lines: string[] = []
  const failures = createFailureLog(line => lines.push(line))
  for (let at = 0; at < 10 * MINUTE_MS; at += MINUTE_MS / 2) {
    failures.note(`no start at ${at}`, new Date(at))
  }
  expect(lines).toEqual([
    'no start at 0',
    'no start at 60000 (3 times)',
    'no start at 180000 (7 times)',
    'no start at 420000 (15 times)',
  ])
})

test('another failure, and the first one after a success, are logged at once', () => {
  const lines: string[] = []
  const failures = createFailureLog(line => lines.push(line))
  for (const message of ['full', 'away', 'full', 'away']) failures.note(message)
  failures.end()
  failures.note('full')
  expect(lines).toEqual(['full', 'away', 'full'])
})
