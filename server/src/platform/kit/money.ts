/** Money as integer cents in a bigint. Other TypeScript files do not divide money. */
import type { Language } from '@headroom/contract'
import { assert } from './assert.ts'

export type Locale = Language

/** An exact accrual in micro-cents (cents × ppm × days), not yet rounded. */
export type Accrual = bigint

const MICROCENTS_PER_CENT = 1_000_000n

const REGIONS = { fr: 'fr-FR', de: 'de-DE', es: 'es-ES', nl: 'nl-NL', en: 'en-IE' } as const

/**
 * Simple interest on `principal` cents at `ratePpm` parts per million a day over `days` whole days,
 * exact, in micro-cents. Sum accruals first, then call `roundHalfEven` once.
 */
export function accrue(principal: bigint, ratePpm: bigint | number, days: number): Accrual {
  assert(Number.isSafeInteger(days) && days >= 0, `days must be a whole number >= 0, not ${days}`)
  return principal * BigInt(ratePpm) * BigInt(days)
}

/** Rounds an exact accrual in micro-cents to whole cents; halves go to the even cent. */
export function roundHalfEven(microcents: Accrual): bigint {
  return divideHalfEven(microcents, MICROCENTS_PER_CENT)
}

/**
 * `amount` cents × `numerator` / `denominator`, rounded once, half to even. For shares and
 * mark-ups, e.g. `share(amount, ppm, 1_000_000n)`. The denominator must be positive.
 */
export function share(amount: bigint, numerator: bigint, denominator: bigint): bigint {
  assert(denominator > 0n, 'the denominator of a share must be positive')
  return divideHalfEven(amount * numerator, denominator)
}

function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const { quotient, remainder } = divideDown(numerator, denominator)
  const twice = remainder * 2n
  if (twice < denominator) return quotient
  if (twice > denominator) return quotient + 1n
  return quotient % 2n === 0n ? quotient : quotient + 1n
}

/** Divides towards minus infinity, so the remainder is never negative. */
function divideDown(numerator: bigint, denominator: bigint) {
  const towardsZero = numerator / denominator
  const quotient = towardsZero * denominator > numerator ? towardsZero - 1n : towardsZero
  return { quotient, remainder: numerator - quotient * denominator }
}

/**
 * Divides `total` cents in proportion to `weights` (none negative, at least one positive unless the
 * total is 0). The parts add up exactly: leftover cents go to the largest remainders, earlier ones
 * first. A negative total gives the negated parts of the positive one.
 */
export function spread(total: bigint, weights: readonly bigint[]): bigint[] {
  if (total < 0n) return spread(-total, weights).map(part => -part)
  assert(
    weights.every(weight => weight >= 0n),
    'weights must not be negative',
  )
  const sum = weights.reduce((a, b) => a + b, 0n)
  if (total === 0n) return weights.map(() => 0n)
  assert(sum > 0n, 'money cannot be spread over weights that are all 0')
  const parts = weights.map(weight => divideDown(total * weight, sum))
  const left = total - parts.reduce((a, part) => a + part.quotient, 0n)
  const favoured = parts
    .map((part, index) => ({ index, remainder: part.remainder }))
    .sort((a, b) => Number(b.remainder > a.remainder) - Number(a.remainder > b.remainder))
    .slice(0, Number(left))
  const extra = new Set(favoured.map(one => one.index))
  return parts.map((part, index) => part.quotient + (extra.has(index) ? 1n : 0n))
}

/**
 * Divides `total` cents into `n` parts that add up exactly and differ by at most one cent. Larger
 * parts come last: 100 into 3 is 33, 33, 34.
 */
export function splitEvenly(total: bigint, n: number): bigint[] {
  assert(Number.isSafeInteger(n) && n > 0, `money is split into 1 part or more, not ${n}`)
  const { quotient, remainder } = divideDown(total, BigInt(n))
  const firstGreater = n - Number(remainder)
  return Array.from({ length: n }, (_, i) => (i < firstGreater ? quotient : quotient + 1n))
}

export function minAmount(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

export function maxAmount(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

export function absAmount(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}

/** Cents as a JSON number. Throws beyond 2^53 - 1, where the number would not be exact. */
export function toWire(cents: bigint): number {
  const value = Number(cents)
  assert(Number.isSafeInteger(value), `${cents} cents cannot be written exactly as a number`)
  return value
}

/** Cents from a JSON number that a schema has already checked to be an integer. */
export function fromWire(value: number): bigint {
  assert(Number.isSafeInteger(value), `${value} is not a whole number of cents`)
  return BigInt(value)
}

/** Cents as an exact decimal string with two places, as ISO 20022 writes amounts: 12.05. */
export function toDecimal(cents: bigint): `${number}` {
  const { quotient: whole, remainder: rest } = divideDown(absAmount(cents), 100n)
  const text = `${whole}.${rest.toString().padStart(2, '0')}`
  return (cents < 0n ? `-${text}` : text) as `${number}`
}

/** Cents from a decimal string ('12', '12.5', '12.050'); null if invalid or not whole cents. */
export function fromDecimal(text: string): bigint | null {
  const match = /^(-?)(\d{1,18})(?:\.(\d{1,2})0*)?$/.exec(text)
  if (!match) return null
  const cents = BigInt(match[2]!) * 100n + BigInt((match[3] ?? '').padEnd(2, '0'))
  return match[1] ? -cents : cents
}

/** An exact accrual in micro-cents as a decimal string in the major unit: 27.77760000. */
function toExactDecimal(microcents: Accrual): `${number}` {
  const unit = 100n * MICROCENTS_PER_CENT
  const { quotient: whole, remainder: rest } = divideDown(absAmount(microcents), unit)
  const text = `${whole}.${rest.toString().padStart(8, '0')}`
  return (microcents < 0n ? `-${text}` : text) as `${number}`
}

const formats = new Map<string, Intl.NumberFormat>()

/** An amount as shown to operators in alerts and reasons: €1,234.56. */
export function euros(cents: bigint): string {
  return formatMoney(cents, 'EUR', 'en')
}

/** An amount in a locale, exact at any size: formatMoney(123456n, 'EUR', 'fr') is 1 234,56 €. */
export function formatMoney(cents: bigint, currency: string, locale: Locale): string {
  const name = `${locale} ${currency}`
  const options = { style: 'currency', currency } as const
  const format = formats.get(name) ?? new Intl.NumberFormat(REGIONS[locale], options)
  formats.set(name, format)
  return format.format(toDecimal(cents))
}

/** An exact accrual in the reader's locale with all its decimals, at least two: 27,7776 €. */
export function formatExact(microcents: Accrual, currency: string, locale: Locale): string {
  const format = new Intl.NumberFormat(REGIONS[locale], {
    ...({ style: 'currency', currency } as const),
    minimumFractionDigits: 2,
    maximumFractionDigits: 8,
  })
  return format.format(toExactDecimal(microcents))
}
