/** The TARGET calendar, compared with published closing days and its own rules. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ImpossibleError } from '../../src/platform/kit/assert.ts'
import * as calendar from '../../src/platform/kit/calendar.ts'
import { addDays, day } from '../../src/platform/kit/dates.ts'

const { addTargetDays, isTargetDay, onOrAfterTargetDay, targetDaysBetween } = calendar
const anyDay = fc.integer({ min: 0, max: 10_000 }).map(offset => addDays(day('2020-01-01'), offset))

describe('closing days', () => {
  test.each([
    '2026-01-01',
    '2026-04-03',
    '2026-04-06',
    '2026-05-01',
    '2026-12-25',
    '2027-03-26',
    '2027-03-29',
    '2028-04-14',
    '2028-04-17',
    '2026-05-02',
    '2026-05-03',
  ])('%s is closed', closed => {
    expect(isTargetDay(day(closed))).toBe(false)
  })

  test.each([
    '2026-01-02',
    '2026-04-02',
    '2026-04-07',
    '2026-05-08',
    '2026-05-14',
    '2026-07-14',
    '2026-12-24',
    '2026-12-31',
  ])('%s is open', open => {
    expect(isTargetDay(day(open))).toBe(true)
  })

  test('Easter in known extreme years', () => {
    const easters = [2000, 2008, 2011, 2024, 2025, 2026, 2038, 2049, 2076].map(year =>
      calendar.easterSunday(year),
    )
    expect(easters).toEqual([
      '2000-04-23',
      '2008-03-23',
      '2011-04-24',
      '2024-03-31',
      '2025-04-20',
      '2026-04-05',
      '2038-04-25',
      '2049-04-18',
      '2076-04-19',
    ])
  })

  test('2026 has 256 open days', () => {
    expect(targetDaysBetween(day('2025-12-31'), day('2026-12-31'))).toBe(256)
  })
})

describe('adding days', () => {
  test('from a closed day does not count that day', () => {
    const saturday = day('2026-05-09')
    expect([0, 1, 2, -1, -2].map(n => addTargetDays(saturday, n))).toEqual([
      '2026-05-11',
      '2026-05-11',
      '2026-05-12',
      '2026-05-08',
      '2026-05-07',
    ])
  })

  test('over Easter and over Christmas', () => {
    expect(addTargetDays(day('2026-04-02'), 1)).toBe('2026-04-07')
    expect(addTargetDays(day('2026-04-07'), -1)).toBe('2026-04-02')
    expect(addTargetDays(day('2026-12-24'), 3)).toBe('2026-12-30')
    expect(onOrAfterTargetDay(day('2026-04-03'))).toBe('2026-04-07')
    expect(calendar.onOrBeforeTargetDay(day('2026-04-06'))).toBe('2026-04-02')
    expect(onOrAfterTargetDay(day('2026-04-02'))).toBe('2026-04-02')
  })

  test('counting is the inverse of adding', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: -60, max: 60 }), (any, n) => {
        const from = onOrAfterTargetDay(any)
        const to = addTargetDays(from, n)
        expect(isTargetDay(to)).toBe(true)
        expect(targetDaysBetween(from, to)).toBe(n)
        expect(addTargetDays(to, -n)).toBe(from)
      }),
    )
  })

  test('counting from and to closed days', () => {
    expect(targetDaysBetween(day('2026-05-09'), day('2026-05-10'))).toBe(0)
    expect(targetDaysBetween(day('2026-05-08'), day('2026-05-11'))).toBe(1)
    expect(targetDaysBetween(day('2026-05-11'), day('2026-05-08'))).toBe(-1)
    expect(targetDaysBetween(day('2026-05-08'), day('2026-05-08'))).toBe(0)
  })

  test('the n-th open day of a month', () => {
    expect([1, 2, 3].map(n => calendar.nthTargetDayOfMonth(day('2026-05-31'), n))).toEqual([
      '2026-05-04',
      '2026-05-05',
      '2026-05-06',
    ])
    expect(calendar.nthTargetDayOfMonth(day('2027-01-15'), 3)).toBe('2027-01-06')
    expect(() => calendar.nthTargetDayOfMonth(day('2026-05-01'), 0)).toThrow(ImpossibleError)
    expect(() => calendar.nthTargetDayOfMonth(day('2026-05-01'), 24)).toThrow(ImpossibleError)
  })
})
