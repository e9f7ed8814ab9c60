import { expect, test } from 'vitest'
import { createFailureLog } from '../../src/platform/kit/failure-log.ts'

const MINUTE_MS = 60_000

test('a failure that repeats is logged at growing intervals, with its number', () => {
  let now = 0
  const lines: string[] = []
  const failures = createFailureLog(
    line => lines.push(`${now / MINUTE_MS}: ${line}`),
    () => now,
  )
  for (; now < 10 * MINUTE_MS; now += MINUTE_MS / 2) failures.note(`no start at ${now}`)
  expect(lines).toEqual([
    '0: no start at 0',
    '1: no start at 60000 (3 times)',
    '3: no start at 180000 (7 times)',
    '7: no start at 420000 (15 times)',
  ])
})

test('another failure, and the first one after a success, are logged at once', () => {
  const lines: string[] = []
  const failures = createFailureLog(
    line => lines.push(line),
    () => 0,
  )
  for (const message of ['full', 'away', 'full', 'away']) failures.note(message)
  failures.end()
  failures.note('full')
  expect(lines).toEqual(['full', 'away', 'full'])
})
