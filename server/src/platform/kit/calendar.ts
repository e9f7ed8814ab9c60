/** The TARGET calendar of the euro payment systems: the days on which banks settle. */
import { assert } from './assert.ts'
import { addDays, type Day, day, firstOfMonth, weekday, yearOf } from './dates.ts'

const FIXED_CLOSINGS = new Set(['01-01', '05-01', '12-25', '12-26'])

/** Every answer about a loan asks for the same few days; the calendar of a day never changes. */
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

/** The day itself when TARGET is open, else the next day on which it is. */
export function onOrAfterTargetDay(of: Day): Day {
  let candidate = of
  while (!isTargetDay(candidate)) candidate = addDays(candidate, 1)
  return candidate
}

/** The day itself when TARGET is open, else the last day before on which it was. */
export function onOrBeforeTargetDay(of: Day): Day {
  let candidate = of
  while (!isTargetDay(candidate)) candidate = addDays(candidate, -1)
  return candidate
}

/**
 * The n-th TARGET day after the day, or before it when `n` is negative; the day itself is never
 * counted, so Saturday + 1 is Monday and Saturday - 1 is Friday. With 0 it is the day itself, or
 * the next TARGET day when it is closed.
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
 * How many TARGET days lie after `from` up to and including `to`; negative when `to` is earlier.
 * Between open days it undoes `addTargetDays`: Friday to Monday is 1.
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

/** The n-th TARGET day (from 1) of the month that holds the day. Every month has 16 at least. */
export function nthTargetDayOfMonth(of: Day, n: number): Day {
  assert(Number.isSafeInteger(n) && n >= 1, `the TARGET days of a month count from 1, not ${n}`)
  const found = addTargetDays(onOrAfterTargetDay(firstOfMonth(of)), n - 1)
  assert(found.slice(0, 7) === of.slice(0, 7), `${of.slice(0, 7)} has no TARGET day number ${n}`)
  return found
}

/** Easter Sunday of a Gregorian year, by the algorithm of Meeus, Jones and Butcher. */
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
