/** Days: midnight in Paris, months of different lengths, days on the wire. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ImpossibleError } from '../../src/platform/kit/assert.ts'
import * as dates from '../../src/platform/kit/dates.ts'

const { addDays, addMonths, day, daysBetween, parisDay, readWireDay, startOfDay, wireDay } = dates

const anyDay = fc
  .integer({ min: -25_000, max: 40_000 })
  .map(offset => addDays(day('2026-01-01'), offset))

describe('a day', () => {
  test('exists in the calendar', () => {
    expect(day('2028-02-29')).toBe('2028-02-29')
    for (const wrong of ['2026-02-29', '2026-13-01', '2026-5-3', '0000-01-01', '', '2026-05-03Z']) {
      expect(() => day(wrong)).toThrow(ImpossibleError)
    }
  })

  test.each([
    ['2026-07-31T21:59:59.999Z', '2026-07-31'],
    ['2026-07-31T22:00:00.000Z', '2026-08-01'],
    ['2026-12-31T22:59:59.999Z', '2026-12-31'],
    ['2026-12-31T23:00:00.000Z', '2027-01-01'],
  ])('at %s it is %s in Paris', (moment, expected) => {
    expect(parisDay(new Date(moment))).toBe(expected)
  })

  test('begins at midnight in Paris, even when clocks change', () => {
    expect(startOfDay(day('2026-03-29')).toISOString()).toBe('2026-03-28T23:00:00.000Z')
    expect(startOfDay(day('2026-03-30')).toISOString()).toBe('2026-03-29T22:00:00.000Z')
    expect(dates.momentOf(day('2026-07-01'), 15).toISOString()).toBe('2026-07-01T13:00:00.000Z')
    expect(dates.momentOf(day('2026-01-05'), 9, 30).toISOString()).toBe('2026-01-05T08:30:00.000Z')
    fc.assert(
      fc.property(anyDay, one => {
        expect(parisDay(startOfDay(one))).toBe(one)
        expect(parisDay(new Date(startOfDay(one).getTime() - 1))).toBe(addDays(one, -1))
      }),
    )
  })
})

describe('counting', () => {
  test('23- and 25-hour days and 29 February count once each', () => {
    expect(daysBetween(day('2026-03-28'), day('2026-03-30'))).toBe(2)
    expect(daysBetween(day('2026-10-24'), day('2026-10-26'))).toBe(2)
    expect(daysBetween(day('2028-02-28'), day('2028-03-01'))).toBe(2)
    expect(daysBetween(day('2026-05-03'), day('2026-05-01'))).toBe(-2)
  })

  test('adding and counting are inverse', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: -2000, max: 2000 }), (from, days) => {
        expect(daysBetween(from, addDays(from, days))).toBe(days)
      }),
    )
  })

  test('months keep their anchor day', () => {
    const anchor = day('2026-01-31')
    expect([1, 2, 3, 13].map(months => addMonths(anchor, months))).toEqual([
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
      '2027-02-28',
    ])
    expect(addMonths(day('2028-01-31'), 1)).toBe('2028-02-29')
    expect(addMonths(day('2026-03-31'), -1)).toBe('2026-02-28')
  })

  test('the first and last day of a month', () => {
    expect(dates.firstOfMonth(day('2026-12-15'))).toBe('2026-12-01')
    expect(dates.lastOfMonth(day('2028-02-01'))).toBe('2028-02-29')
    expect(dates.nextMonth(day('2026-12-31'))).toBe('2027-01-01')
    fc.assert(
      fc.property(anyDay, one => {
        expect(addDays(dates.lastOfMonth(one), 1)).toBe(dates.nextMonth(one))
        expect(dates.firstOfMonth(one) <= one && one <= dates.lastOfMonth(one)).toBe(true)
      }),
    )
  })

  test('order', () => {
    const [a, b] = [day('2026-05-03'), day('2026-10-01')]
    expect([dates.compare(a, b), dates.compare(b, a), dates.compare(a, a)]).toEqual([-1, 1, 0])
    expect([dates.min(b, a), dates.max(a, b), dates.min(a)]).toEqual([a, b, a])
    expect([dates.weekday(a), dates.yearOf(a)]).toEqual([7, 2026])
  })
})

describe('a moment on the wire', () => {
  test.each([
    ['2026-05-03', '2026-05-02T22:00:00.000Z'],
    ['2026-05-03T10:00:00Z', '2026-05-03T10:00:00.000Z'],
    ['2026-05-03T10:00', '2026-05-03T10:00:00.000Z'],
    ['2026-05-03T10:00:00+02:00', '2026-05-03T08:00:00.000Z'],
    ['2026-05-03T10:00:00.1239Z', '2026-05-03T10:00:00.123Z'],
    // The contract accepts as many digits as a client writes.
    ['2026-05-03T10:00:00.123456789012Z', '2026-05-03T10:00:00.123Z'],
    ['1969-12-31T23:59:59.9999', '1969-12-31T23:59:59.999Z'],
  ])('%s is read as %s', (text, expected) => {
    expect(dates.readWireMoment(text)?.toISOString()).toBe(expected)
  })

  test.each(['2026-05-03T10:00:00+24:00', '2026-05-03T10:00:00-02:60', '2026-05-03T24:00:00Z'])(
    '%s is no moment',
    text => {
      expect(dates.readWireMoment(text)).toBeNull()
      expect(readWireDay(text)).toBeNull()
    },
  )

  test('a plain date can mean midnight UTC', () => {
    expect(dates.readWireMoment('2026-05-03', 'UTC')).toEqual(new Date('2026-05-03T00:00:00Z'))
    expect(dates.readWireMoment('2026-02-29', 'UTC')).toBeNull()
    expect(dates.readWireMoment('2026-02-29')).toBeNull()
    expect(dates.readWireMoment('2026-02-29T10:00:00')).toBeNull()
  })
})

describe('the wire', () => {
  test.each([
    ['2026-05-03', '2026-05-03'],
    ['2026-05-03T00:00:00Z', '2026-05-03'],
    ['2026-05-03T00:00:00+02:00', '2026-05-03'],
    ['2026-05-03T21:59:59Z', '2026-05-03'],
    ['2026-05-03T22:00:00Z', '2026-05-04'],
    ['2026-05-03T22:00:00', '2026-05-04'],
    ['2026-05-03T22:00:00.000', '2026-05-04'],
    ['2026-05-03T20:00:00-08:00', '2026-05-04'],
    ['2026-05-03T01:00:00+14:00', '2026-05-02'],
    ['2026-05-03T10:00Z', '2026-05-03'],
    ['2026-05-03t10:00:00.123456z', '2026-05-03'],
    ['2026-05-03T22:00:00.000000000001Z', '2026-05-04'],
  ])('%s is read as %s', (text, expected) => {
    expect(readWireDay(text)).toBe(expected)
  })

  test.each([
    '2026-02-29',
    '2026-02-29T00:00:00Z',
    '2026-05-03T25:00:00Z',
    '2026-05-03T24:00:00Z',
    '2026-05-03 10:00:00Z',
    '2026-05-03T10Z',
    '03/05/2026',
    '20260503',
    '2026-W18',
    '0000-01-01',
    '9999-12-31T23:30:00Z',
    '1777766400',
    ' 2026-05-03',
    '2026-05-03T10:00:00[Europe/Paris]',
    '',
  ])('%j is not a day', text => {
    expect(readWireDay(text)).toBeNull()
  })

  test('a formatted day reads back as the same day', () => {
    expect(wireDay(day('2026-05-03'))).toBe('2026-05-03T00:00:00Z')
    fc.assert(
      fc.property(anyDay, one => {
        expect(readWireDay(wireDay(one))).toBe(one)
        expect(readWireDay(startOfDay(one).toISOString())).toBe(one)
        expect(readWireDay(one)).toBe(one)
      }),
    )
  })
})

test('days are formatted in the five languages', () => {
  const written = (['fr', 'de', 'es', 'nl', 'en'] as const).map(locale =>
    dates.formatDay(day('2026-05-03'), locale),
  )
  expect(written).toEqual([
    '3 mai 2026',
    '3. Mai 2026',
    '3 de mayo de 2026',
    '3 mei 2026',
    '3 May 2026',
  ])
  expect(dates.formatDay(day('2026-05-01'), 'fr')).toBe('1er mai 2026')
  expect(dates.formatDay(day('2026-05-11'), 'fr')).toBe('11 mai 2026')
})

describe('a reported moment', () => {
  const now = new Date('2026-11-25T23:21:00Z')
  const isInFuture = (text: string) => dates.isInFuture(new Date(text), now)

  test('is in the future beyond a small skew of clocks', () => {
    expect(isInFuture('2026-11-25T23:20:59Z')).toBe(false)
    expect(isInFuture('2026-11-25T23:26:00Z')).toBe(false)
    expect(isInFuture('2026-11-25T23:26:01Z')).toBe(true)
  })

  test('that is midnight UTC means a day, and today in Paris is not in the future', () => {
    expect(isInFuture('2026-11-26T00:00:00Z')).toBe(false)
    expect(isInFuture('2026-11-26T00:00:01Z')).toBe(true)
    expect(isInFuture('2026-11-27T00:00:00Z')).toBe(true)
  })
})
