/** The days and times to which the sandbox clock can move. */
import { describe, expect, test } from 'vitest'
import { ProblemError } from '../../src/platform/kit/problem.ts'
import { clockTarget } from '../../src/sandbox/clock-target.ts'

const NOW = new Date('2026-07-10T13:14:15.167Z')

function faultOf(work: () => unknown) {
  try {
    work()
  } catch (error) {
    if (error instanceof ProblemError) return { code: error.code, ...error.extras }
    throw error
  }
  return null
}

describe('days', () => {
  test('keeps the time in Paris, to the millisecond', () => {
    const target = clockTarget(NOW, { days: 3 })
    expect(target.toISOString()).toBe('2026-07-13T13:14:15.167Z')
  })

  test('even across a clock change, in both directions', () => {
    expect(clockTarget(new Date('2026-10-24T12:00:00Z'), { days: 1 }).toISOString()).toBe(
      '2026-10-25T13:00:00.000Z',
    )
    expect(clockTarget(new Date('2027-03-27T22:30:00.500Z'), { days: 1 }).toISOString()).toBe(
      '2027-03-28T21:30:00.500Z',
    )
  })

  test('400 days are allowed', () => {
    expect(clockTarget(NOW, { days: 400 }).toISOString()).toBe('2027-08-14T13:14:15.167Z')
  })
})

describe('to', () => {
  test('a plain date is the start of that day in Paris', () => {
    expect(clockTarget(NOW, { to: '2026-08-01' }).toISOString()).toBe('2026-07-31T22:00:00.000Z')
  })

  test('a date-time is that time, in UTC if it has no zone', () => {
    const moments = ['2026-08-01T10:00:00Z', '2026-08-01T12:00:00+02:00', '2026-08-01T10:00:00']
    for (const to of moments) {
      expect(clockTarget(NOW, { to }).toISOString()).toBe('2026-08-01T10:00:00.000Z')
    }
  })

  test('never backwards; the current day is allowed', () => {
    for (const to of ['2026-07-09', '2026-07-09T00:00:00Z', '2026-07-10T13:14:15Z']) {
      expect(faultOf(() => clockTarget(NOW, { to }))).toMatchObject({
        code: 'request_invalid',
        invalid_params: [{ name: 'to' }],
      })
    }
    for (const to of [NOW.toISOString(), '2026-07-10', '2026-07-10T00:00:00Z']) {
      expect(clockTarget(NOW, { to })).toEqual(NOW)
    }
  })

  test('never more than 400 days', () => {
    expect(clockTarget(NOW, { to: '2027-08-14' }).toISOString()).toBe('2027-08-13T22:00:00.000Z')
    expect(faultOf(() => clockTarget(NOW, { to: '2027-08-15' }))).toMatchObject({
      code: 'request_invalid',
      invalid_params: [{ name: 'to', reason: 'is more than 400 days away' }],
    })
  })
})
