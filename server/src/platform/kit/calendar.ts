/** The TARGET calendar of the euro payment systems: the days on which payments settle. */
import { assert } from './assert.ts'
import { addDays, type Day, day, firstOfMonth, weekday, yearOf } from './dates.ts'

const FIXED_CLOSINGS = new Set(['01-01', '05-01', '12-25', '12-26'])

/** Cached, because loan calculations ask for the same few days and the calendar never changes. */
const KNOWN_DAYS_MAX = 20_000
const known = new Map<Day, boolean>()
const knownSteps = new Map<string, Day>()

/**
 * True when TARGET is open: not a Saturday, Sunday, 1 January, Good Friday, Easter Monday,
 * 1 May, 25 or 26 December (European Central Bank, long-term calendar since 2002).
 */
export function isTargetDay(of: Day): boolean {
  const found = known.get(of) ?? readCalendar(of)
  if (known.size >= KNOWN_DAYS_MAX) known.clear()
  known.set(of, found)
  return found
}

function readCalendar(of: Day): boolean {
  if (weekday(of) > 5 || FIXED_CLOSINGS.has(of.slice(5))) return false
  const month = of.slice(5, 7)
  if (month !== '03' && month !== '04') return true
  const easter = easterSunday(yearOf(of))
  return of !== addDays(easter, -2) && of !== addDays(easter, 1)
}

/** The day itself if TARGET is open, otherwise the next TARGET day. */
export function onOrAfterTargetDay(of: Day): Day {
  let candidate = of
  while (!isTargetDay(candidate)) candidate = addDays(candidate, 1)
  return candidate
}

/** The day itself if TARGET is open, otherwise the previous TARGET day. */
export function onOrBeforeTargetDay(of: Day): Day {
  let candidate = of
  while (!isTargetDay(candidate)) candidate = addDays(candidate, -1)
  return candidate
}

/**
 * The n-th TARGET day after `from`, or before it when `n` is negative. `from` itself never counts:
 * Saturday + 1 is Monday, Saturday - 1 is Friday. With `n` = 0 it returns `from`, or the next
 * TARGET day if TARGET is closed.
 */
export function addTargetDays(from: Day, n: number): Day {
  assert(Number.isSafeInteger(n), `TARGET days are counted in whole numbers, not ${n}`)
  const name = `${from} ${n}`
  const found = knownSteps.get(name) ?? stepOn(from, n)
  if (knownSteps.size >= KNOWN_DAYS_MAX) knownSteps.clear()
  knownSteps.set(name, found)
  return found
}

function stepOn(from: Day, n: number): Day {
  if (n === 0) return onOrAfterTargetDay(from)
  const step = n > 0 ? 1 : -1
  let found = from
  for (let left = Math.abs(n); left > 0; ) {
    found = addDays(found, step)
    if (isTargetDay(found)) left -= 1
  }
  return found
}

/**
 * The number of TARGET days after `from`, up to and including `to`; negative when `to` is earlier.
 * Inverse of `addTargetDays` between TARGET days: Friday to Monday is 1.
 */
export function targetDaysBetween(from: Day, to: Day): number {
  const step = from <= to ? 1 : -1
  let count = 0
  for (let current = from; current !== to; ) {
    current = addDays(current, step)
    if (isTargetDay(current)) count += step
  }
  return count
}

/** The n-th TARGET day (from 1) of the day's month, which has at least 18. */
export function nthTargetDayOfMonth(of: Day, n: number): Day {
  assert(Number.isSafeInteger(n) && n >= 1, `the TARGET days of a month count from 1, not ${n}`)
  const found = addTargetDays(onOrAfterTargetDay(firstOfMonth(of)), n - 1)
  assert(found.slice(0, 7) === of.slice(0, 7), `${of.slice(0, 7)} has no TARGET day number ${n}`)
  return found
}

/** Easter Sunday of a Gregorian year (Meeus/Jones/Butcher algorithm). */
export function easterSunday(year: number): Day {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((8 * b + 13) / 25) + 15) % 30
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7
  const f = Math.floor((a + 11 * d + 22 * e) / 451)
  const offset = d + e - 7 * f + 114
  const month = String(Math.floor(offset / 31)).padStart(2, '0')
  return day(
    `${String(year).padStart(4, '0')}-${month}-${String((offset % 31) + 1).padStart(2, '0')}`,
  )
}
