/** Money: exact accrual, a single rounding, parts that add up. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ImpossibleError } from '../../src/platform/kit/assert.ts'
import * as money from '../../src/platform/kit/money.ts'

const { accrue, formatMoney, fromDecimal, roundHalfEven, splitEvenly, spread, toDecimal } = money
const cents = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n })
const sum = (parts: bigint[]) => parts.reduce((a, b) => a + b, 0n)

describe('interest', () => {
  test.each([
    [123456n, 500, 45, 2778n],
    [50000n, 500, 30, 750n],
    [50000n, 500n, 0, 0n],
    [1n, 500, 1000, 0n],
    [3n, 500, 1000, 2n],
    [20_000_000n, 500, 365, 3_650_000n],
  ])('%s cents at %s ppm for %s days is %s cents', (principal, rate, days, expected) => {
    expect(roundHalfEven(accrue(principal, rate, days))).toBe(expected)
  })

  test('rounding daily would give a different result', () => {
    const daily = roundHalfEven(accrue(123456n, 500, 1)) * 45n
    expect(daily).toBe(2790n)
  })

  test('bills add up to the formula, however the days are divided', () => {
    const cuts = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 9n }), cuts, (principal, periods) => {
        let exact = 0n
        let billed = 0n
        for (const days of periods) {
          exact += accrue(principal, 500, days)
          billed += roundHalfEven(exact) - billed
        }
        const days = periods.reduce((a, b) => a + b, 0)
        expect(billed).toBe(roundHalfEven(accrue(principal, 500, days)))
      }),
    )
  })

  test('days are integers and not negative', () => {
    expect(() => accrue(1n, 500, -1)).toThrow(ImpossibleError)
    expect(() => accrue(1n, 500, 1.5)).toThrow(ImpossibleError)
  })
})

describe('rounding', () => {
  test.each([
    [500_000n, 0n],
    [500_001n, 1n],
    [1_500_000n, 2n],
    [2_500_000n, 2n],
    [-500_000n, 0n],
    [-500_001n, -1n],
    [-1_500_000n, -2n],
    [-2_500_000n, -2n],
  ])('%s micro-cents is %s cents', (exact, expected) => {
    expect(roundHalfEven(exact)).toBe(expected)
  })

  test('is symmetric and never off by more than half a cent', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), exact => {
        const rounded = roundHalfEven(exact)
        expect(roundHalfEven(-exact)).toBe(-rounded)
        const off = rounded * 1_000_000n - exact
        expect((off < 0n ? -off : off) <= 500_000n).toBe(true)
      }),
    )
  })

  test('a share is rounded once, half to even', () => {
    expect(money.share(1000n, 1n, 3n)).toBe(333n)
    expect(money.share(5n, 1n, 2n)).toBe(2n)
    expect(money.share(7n, 1n, 2n)).toBe(4n)
    expect(() => money.share(1n, 1n, 0n)).toThrow(ImpossibleError)
  })
})

describe('spread', () => {
  test.each([
    [100n, [1n, 1n, 1n], [34n, 33n, 33n]],
    [100n, [0n, 1n, 2n], [0n, 33n, 67n]],
    [-100n, [1n, 1n, 1n], [-34n, -33n, -33n]],
    [0n, [0n, 0n], [0n, 0n]],
    [2n, [5n, 5n, 5n, 5n], [1n, 1n, 0n, 0n]],
    [7n, [3n], [7n]],
  ])('%s over %s is %s', (total, weights, expected) => {
    expect(spread(total, weights)).toEqual(expected)
  })

  test('adds up, gives nothing to weight 0, and is within a cent of the exact part', () => {
    const weights = fc
      .array(fc.bigInt({ min: 0n, max: 10n ** 12n }), { minLength: 1, maxLength: 20 })
      .filter(list => sum(list) > 0n)
    fc.assert(
      fc.property(cents, weights, (total, list) => {
        const parts = spread(total, list)
        expect(sum(parts)).toBe(total)
        parts.forEach((part, i) => {
          const off = part * sum(list) - total * list[i]!
          expect((off < 0n ? -off : off) < sum(list)).toBe(true)
          if (list[i] === 0n) expect(part).toBe(0n)
        })
      }),
    )
  })

  test('rejects negative weights, and amounts without any weight', () => {
    expect(() => spread(1n, [-1n, 2n])).toThrow(ImpossibleError)
    expect(() => spread(1n, [0n, 0n])).toThrow(ImpossibleError)
    expect(() => spread(1n, [])).toThrow(ImpossibleError)
  })
})

describe('splitEvenly', () => {
  test('puts the larger parts last', () => {
    expect(splitEvenly(100n, 3)).toEqual([33n, 33n, 34n])
    expect(splitEvenly(-100n, 3)).toEqual([-34n, -33n, -33n])
    expect(splitEvenly(2n, 3)).toEqual([0n, 1n, 1n])
    expect(() => splitEvenly(1n, 0)).toThrow(ImpossibleError)
  })

  test('adds up, with parts at most a cent apart', () => {
    fc.assert(
      fc.property(cents, fc.integer({ min: 1, max: 60 }), (total, n) => {
        const parts = splitEvenly(total, n)
        expect(parts).toHaveLength(n)
        expect(sum(parts)).toBe(total)
        expect(parts.at(-1)! - parts[0]! <= 1n).toBe(true)
        expect(parts.every((part, i) => i === 0 || part >= parts[i - 1]!)).toBe(true)
      }),
    )
  })
})

describe('texts and numbers', () => {
  test('the wire carries safe integers only', () => {
    expect(money.toWire(123456n)).toBe(123456)
    expect(money.fromWire(123456)).toBe(123456n)
    expect(() => money.toWire(2n ** 53n)).toThrow(ImpossibleError)
    expect(() => money.fromWire(1.5)).toThrow(ImpossibleError)
    fc.assert(fc.property(cents, value => money.fromWire(money.toWire(value)) === value))
  })

  test('decimals are exact in both directions', () => {
    expect([0n, 5n, -5n, 1205n, -100n].map(toDecimal)).toEqual([
      '0.00',
      '0.05',
      '-0.05',
      '12.05',
      '-1.00',
    ])
    expect(['12', '12.5', '12.05', '-0.05', '12.0500'].map(fromDecimal)).toEqual([
      1200n,
      1250n,
      1205n,
      -5n,
      1205n,
    ])
    expect(['', '12.055', '1e3', '1,5', '.5', '+1'].map(fromDecimal)).toEqual(Array(6).fill(null))
    fc.assert(fc.property(cents, value => fromDecimal(toDecimal(value)) === value))
  })

  test('amounts are formatted exactly in the five languages', () => {
    const plain = (locale: money.Locale) =>
      formatMoney(123456789012345678901n, 'EUR', locale).replaceAll(/[\u00a0\u202f]/g, ' ')
    expect(plain('fr')).toBe('1 234 567 890 123 456 789,01 €')
    expect(plain('de')).toBe('1.234.567.890.123.456.789,01 €')
    expect(plain('es')).toBe('1.234.567.890.123.456.789,01 €')
    expect(plain('nl')).toBe('€ 1.234.567.890.123.456.789,01')
    expect(plain('en')).toBe('€1,234,567,890,123,456,789.01')
    expect(formatMoney(-5n, 'EUR', 'en')).toBe('-€0.05')
  })
})
