/** Days of business: plain dates in the zone Europe/Paris. Temporal is known to this file only. */
import { Temporal } from 'temporal-polyfill'
import { assert } from './assert.ts'
import type { Locale } from './money.ts'

/** A calendar day 'YYYY-MM-DD', years 0001 to 9999. Made by the functions of this file only. */
export type Day = string & { readonly __brand: 'Day' }

/** The zone in which the lender's days begin and end. */
export const BUSINESS_ZONE = 'Europe/Paris'

const PLAIN_DATE = /^(?!0000)\d{4}-\d{2}-\d{2}$/
const DATE_TIME =
  /^(?!0000)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?$/i
const DAY_MS = 86_400_000
const REGIONS = { fr: 'fr-FR', de: 'de-DE', es: 'es-ES', nl: 'nl-NL', en: 'en-GB' } as const

/** Checks that `iso` is an existing day 'YYYY-MM-DD'; throws an ImpossibleError otherwise. */
export function day(iso: string): Day {
  const found = readPlainDate(iso)
  assert(found, `not a day: ${iso}`)
  return found
}

/** All that one transaction decides asks for the day of the same moment. */
let lastAsked = { milliseconds: Number.NaN, day: '' as Day }

/** The day in Paris at that moment. */
export function parisDay(instant: Date): Day {
  const milliseconds = instant.getTime()
  if (milliseconds !== lastAsked.milliseconds) {
    const moment = Temporal.Instant.fromEpochMilliseconds(milliseconds)
    const date = moment.toZonedDateTimeISO(BUSINESS_ZONE).toPlainDate()
    lastAsked = { milliseconds, day: day(date.toString()) }
  }
  return lastAsked.day
}

/** The moment at which the day begins in Paris. */
export function startOfDay(of: Day): Date {
  return momentOf(of, 0)
}

/** The last millisecond of the day in Paris. */
export function endOfDay(of: Day): Date {
  return new Date(startOfDay(addDays(of, 1)).getTime() - 1)
}

/** The moment at which Paris clocks show `hour` (0-23) and `minute` on that day. */
export function momentOf(of: Day, hour: number, minute = 0): Date {
  const time = Temporal.PlainTime.from({ hour, minute }, { overflow: 'reject' })
  const zoned = plain(of).toZonedDateTime({ timeZone: BUSINESS_ZONE, plainTime: time })
  return new Date(zoned.epochMilliseconds)
}

/** The day `days` later (earlier when negative). */
export function addDays(from: Day, days: number): Day {
  const found = writeMidnight(readMidnight(from) + days * DAY_MS)
  assert(found, `no day is ${days} days from ${from}`)
  return found
}

/**
 * The same day of the month `months` later, or that month's last day when it has no such day.
 * For a series count from its anchor, not from the last result: 31 January, 28 February,
 * 31 March.
 */
export function addMonths(anchor: Day, months: number): Day {
  return day(plain(anchor).add({ months }, { overflow: 'constrain' }).toString())
}

/** Whole days from `from` to `to`; negative when `to` is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return (readMidnight(to) - readMidnight(from)) / DAY_MS
}

/** The first day of the month that holds the day. */
export function firstOfMonth(of: Day): Day {
  return `${of.slice(0, 8)}01` as Day
}

/** The last day of the month that holds the day. */
export function lastOfMonth(of: Day): Day {
  const date = plain(of)
  return day(date.with({ day: date.daysInMonth }).toString())
}

/** The first day of the month after the one that holds the day. */
export function nextMonth(of: Day): Day {
  return addMonths(firstOfMonth(of), 1)
}

/** The ISO weekday: 1 is Monday, 7 is Sunday. */
export function weekday(of: Day): number {
  return plain(of).dayOfWeek
}

/** The year of the day, e.g. 2026. */
export function yearOf(of: Day): number {
  return Number(of.slice(0, 4))
}

/** -1, 0 or 1 as `a` is before, equal to or after `b`. Fit for sorting. */
export function compare(a: Day, b: Day): -1 | 0 | 1 {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** The earliest of the days. */
export function min(first: Day, ...others: Day[]): Day {
  return others.reduce((a, b) => (compare(a, b) <= 0 ? a : b), first)
}

/** The latest of the days. */
export function max(first: Day, ...others: Day[]): Day {
  return others.reduce((a, b) => (compare(a, b) >= 0 ? a : b), first)
}

/** A day as it is written on the wire: 'YYYY-MM-DDT00:00:00Z'. `readWireDay` reads it back. */
export function wireDay(of: Day): string {
  return `${of}T00:00:00Z`
}

/**
 * Reads a day from the wire: a plain date, or an ISO 8601 date-time with Z, an offset or neither
 * (then UTC), which stands for the Paris date of that moment. Null when it is none of these.
 */
export function readWireDay(text: string): Day | null {
  if (!DATE_TIME.test(text)) return readPlainDate(text)
  const moment = readInstant(text)
  if (!moment) return null
  return readPlainDate(moment.toZonedDateTimeISO(BUSINESS_ZONE).toPlainDate().toString())
}

/** A date-time, in UTC when it names no offset. */
function readInstant(text: string): Temporal.Instant | null {
  const zoned = /(Z|[+-]\d{2}(:?\d{2})?)$/i.test(text.slice(11)) ? text : `${text}Z`
  try {
    return Temporal.Instant.from(zoned)
  } catch {
    return null
  }
}

/**
 * Reads a moment from the wire: a date-time, in UTC when it names no offset, or a plain date, which
 * is its beginning in Paris. Null when it is none of these.
 */
export function readWireMoment(text: string): Date | null {
  const plainDate = readPlainDate(text)
  if (plainDate) return startOfDay(plainDate)
  const moment = DATE_TIME.test(text) ? readInstant(text) : null
  return moment && new Date(moment.epochMilliseconds)
}

/** Whether a text has the form of a plain date, not of a date-time. */
export function isPlainDate(text: string): boolean {
  return PLAIN_DATE.test(text)
}

const longDays = new Map<Locale, Intl.DateTimeFormat>()

/** A day for people: formatDay(day('2026-05-03'), 'fr') 3 mai 2026. */
export function formatDay(of: Day, locale: Locale): string {
  const wish = { dateStyle: 'long', timeZone: 'UTC' } as const
  const format = longDays.get(locale) ?? new Intl.DateTimeFormat(REGIONS[locale], wish)
  longDays.set(locale, format)
  const text = format.format(new Date(wireDay(of)))
  // French writes the first of a month as an ordinal, which the locale data leave out.
  return locale === 'fr' ? text.replace(/^1 /, '1er ') : text
}

function readPlainDate(text: string): Day | null {
  // What is no day of its month is read as one of the next.
  return PLAIN_DATE.test(text) && writeMidnight(readMidnight(text)) === text ? (text as Day) : null
}

/** A plain date as midnight UTC, where every day is as long as the others; NaN when it is none. */
function readMidnight(of: string): number {
  return Date.parse(of)
}

/** The day of a midnight UTC, or null when no day is written so. */
function writeMidnight(milliseconds: number): Day | null {
  const midnight = new Date(milliseconds)
  const text = Number.isNaN(midnight.getTime()) ? '' : midnight.toISOString().slice(0, 10)
  return PLAIN_DATE.test(text) ? (text as Day) : null
}

function plain(of: string): Temporal.PlainDate {
  return Temporal.PlainDate.from(of, { overflow: 'reject' })
}
