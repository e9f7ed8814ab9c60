/** How a receiver's answer is classified, and when a delivery is retried. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  classifyStatus,
  nextAttemptAt,
  RETRY_DELAYS_S,
  readRetryAfter,
} from '../../src/partners/webhooks/rules.ts'

const now = new Date('2026-07-01T12:00:00.000Z')
const waited = (tries: number, retryAfter: string | null, random: number) => {
  const next = nextAttemptAt(tries, now, retryAfter, random)
  return next && (next.getTime() - now.getTime()) / 1000
}

test('2xx is delivered, 410 is gone, everything else fails', () => {
  expect([200, 201, 204, 299].map(classifyStatus)).toEqual(Array(4).fill('delivered'))
  expect([null, 100, 301, 302, 307, 400, 404, 409, 429, 500, 503].map(classifyStatus)).toEqual(
    Array(11).fill('failed'),
  )
  expect(classifyStatus(410)).toBe('gone')
})

describe('the schedule', () => {
  test('spans days and ends after the tenth attempt', () => {
    const delays = RETRY_DELAYS_S.map((_, i) => waited(i + 1, null, 0.5))
    expect(delays).toEqual([5, 30, 120, 600, 3600, 14_400, 43_200, 86_400, 86_400])
    expect(waited(10, null, 0.5)).toBeNull()
    expect(waited(10, '60', 0.5)).toBeNull()
  })

  test('varies by a fifth in either direction', () => {
    expect([0, 1].map(random => waited(1, null, random))).toEqual([4, 6])
    expect([0, 1].map(random => waited(9, null, random))).toEqual([69_120, 103_680])
  })

  test('follows a longer Retry-After, not a shorter one', () => {
    expect(waited(1, '120', 0.5)).toBe(120)
    expect(waited(5, '120', 0.5)).toBe(3600)
    expect(waited(1, 'Wed, 01 Jul 2026 12:10:00 GMT', 0.5)).toBe(600)
    expect(waited(1, '999999999', 0.5)).toBe(86_400)
  })
})

test('Retry-After is in seconds or an HTTP date, never negative, at most a day', () => {
  expect(readRetryAfter(null, now)).toBeNull()
  expect(readRetryAfter('soon', now)).toBeNull()
  expect(readRetryAfter('0', now)).toBe(0)
  expect(readRetryAfter(' 7 ', now)).toBe(7000)
  expect(readRetryAfter('Wed, 01 Jul 2026 11:00:00 GMT', now)).toBe(0)
  expect(readRetryAfter('Wed, 01 Jul 2099 11:00:00 GMT', now)).toBe(86_400_000)
  fc.assert(
    fc.property(fc.string(), header => {
      const read = readRetryAfter(header, now)
      expect(read === null || (read >= 0 && read <= 86_400_000)).toBe(true)
    }),
  )
})
