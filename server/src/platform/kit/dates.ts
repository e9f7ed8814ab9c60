/** Business days: plain dates in Europe/Paris. Only this file uses Temporal. */
import { Temporal } from 'temporal-polyfill'
import { assert } from './assert.ts'
import type { Locale } from './money.ts'

/** A calendar day 'YYYY-MM-DD', years 0001 to 9999. */
export type Day = string & { readonly __brand: 'Day' }

export const BUSINESS_ZONE = 'Europe/Paris'

const PLAIN_DATE = /^(?!0000)\d{4}-\d{2}-\d{2}$/
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})T((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/i
const DAY_MS = 86_400_000
/** How far a client's clock may run ahead of ours. */
const CLOCK_SKEW_MS = 5 * 60 * 1000
const REGIONS = { fr: 'fr-FR', de: 'de-DE', es: 'es-ES', nl: 'nl-NL', en: 'en-GB' } as const

/** Checks that `iso` is an existing day 'YYYY-MM-DD'; throws an ImpossibleError otherwise. */
export function day(iso: string): Day {
  const found = readPlainDate(iso)
  assert(found, `not a day: ${iso}`)
  return found
}

/** Cached, because a transaction often needs the day of the same moment. */
let lastAsked = { milliseconds: Number.NaN, day: '' as Day }

export function parisDay(instant: Date): Day {
  const milliseconds = instant.getTime()
  if (milliseconds !== lastAsked.milliseconds) {
    const found = readParisDay(milliseconds)
    assert(found, `no day is at ${milliseconds} ms`)
    lastAsked = { milliseconds, day: found }
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
  const plainTime = Temporal.PlainTime.from({ hour, minute }, { overflow: 'reject' })
  const zoned = plain(of).toZonedDateTime({ timeZone: BUSINESS_ZONE, plainTime })
  return new Date(zoned.epochMilliseconds)
}

/** The day `days` days later, or earlier when negative. */
export function addDays(from: Day, days: number): Day {
  const found = writeMidnight(readMidnight(from) + days * DAY_MS)
  assert(found, `no day is ${days} days from ${from}`)
  return found
}

/**
 * The same day of the month `months` months later, or the last day of a shorter month. Build a
 * series from its anchor, not from the previous result: 31 January, 28 February, 31 March.
 */
export function addMonths(anchor: Day, months: number): Day {
  return day(plain(anchor).add({ months }, { overflow: 'constrain' }).toString())
}

/** Whole days from `from` to `to`; negative when `to` is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return (readMidnight(to) - readMidnight(from)) / DAY_MS
}

export function firstOfMonth(of: Day): Day {
  return `${of.slice(0, 8)}01` as Day
}

export function lastOfMonth(of: Day): Day {
  const date = plain(of)
  return day(date.with({ day: date.daysInMonth }).toString())
}

/** The first day of the following month. */
export function nextMonth(of: Day): Day {
  return addMonths(firstOfMonth(of), 1)
}

/** The ISO weekday: 1 is Monday, 7 is Sunday. */
export function weekday(of: Day): number {
  return plain(of).dayOfWeek
}

export function yearOf(of: Day): number {
  return Number(of.slice(0, 4))
}

export function compare(a: Day, b: Day): -1 | 0 | 1 {
  if (a === b) return 0
  return a < b ? -1 : 1
}

export function min(first: Day, ...others: Day[]): Day {
  return others.reduce((a, b) => (compare(a, b) <= 0 ? a : b), first)
}

export function max(first: Day, ...others: Day[]): Day {
  return others.reduce((a, b) => (compare(a, b) >= 0 ? a : b), first)
}

/** A day in wire format: 'YYYY-MM-DDT00:00:00Z'. `readWireDay` reads it back. */
export function wireDay(of: Day): string {
  return `${of}T00:00:00Z`
}

/**
 * Reads a day from the wire: a plain date, or an ISO 8601 date-time, converted to its date in
 * Paris. A date-time without an offset is UTC. Null when the text is neither.
 */
export function readWireDay(text: string): Day | null {
  const moment = readDateTime(text)
  return moment === null ? readPlainDate(text) : readParisDay(moment)
}

/**
 * Reads a moment from the wire: a date-time (UTC when it has no offset), or a plain date, which
 * means the start of that day in `zone`. Null when the text is neither.
 */
export function readWireMoment(
  text: string,
  zone: typeof BUSINESS_ZONE | 'UTC' = BUSINESS_ZONE,
): Date | null {
  const moment = readDateTime(text)
  if (moment !== null) return new Date(moment)
  const date = readPlainDate(text)
  if (!date) return null
  return zone === 'UTC' ? new Date(readMidnight(date)) : startOfDay(date)
}

/** Reads a date-time, in milliseconds since 1970; UTC when it has no offset. */
function readDateTime(text: string): number | null {
  const [, date, time, offset = 'Z'] = DATE_TIME.exec(text) ?? []
  return date && readPlainDate(date) ? Date.parse(`${date}T${time}${offset.toUpperCase()}`) : null
}

/**
 * Whether a moment that a client reports is in the future, allowing for the skew of its clock.
 * Midnight UTC means a day, which is in the future only after today in Paris.
 */
export function isInFuture(moment: Date, now: Date): boolean {
  const latest = new Date(now.getTime() + CLOCK_SKEW_MS)
  if (moment.getTime() % DAY_MS !== 0) return moment > latest
  return moment.getTime() > readMidnight(parisDay(latest))
}

export function isPlainDate(text: string): boolean {
  return PLAIN_DATE.test(text)
}

const longDays = new Map<Locale, Intl.DateTimeFormat>()

/** A day written out in the reader's language: formatDay(day('2026-05-03'), 'fr') is 3 mai 2026. */
export function formatDay(of: Day, locale: Locale): string {
  const options = { dateStyle: 'long', timeZone: 'UTC' } as const
  const format = longDays.get(locale) ?? new Intl.DateTimeFormat(REGIONS[locale], options)
  longDays.set(locale, format)
  const text = format.format(new Date(wireDay(of)))
  // French writes the first of the month as an ordinal, which the locale data omit.
  return locale === 'fr' ? text.replace(/^1 /, '1er ') : text
}

function readPlainDate(text: string): Day | null {
  // Date.parse rolls 31 February over into March; the round trip detects that.
  return PLAIN_DATE.test(text) && writeMidnight(readMidnight(text)) === text ? (text as Day) : null
}

/** The day in Paris at a moment, or null when its year is out of range. */
function readParisDay(milliseconds: number): Day | null {
  const moment = Temporal.Instant.fromEpochMilliseconds(milliseconds)
  return readPlainDate(moment.toZonedDateTimeISO(BUSINESS_ZONE).toPlainDate().toString())
}

/** A plain date as midnight UTC, where every day has the same length; NaN if it is invalid. */
function readMidnight(of: string): number {
  return Date.parse(of)
}

/** The day that starts at a midnight UTC, or null when its year is out of range. */
function writeMidnight(milliseconds: number): Day | null {
  const midnight = new Date(milliseconds)
  const text = Number.isNaN(midnight.getTime()) ? '' : midnight.toISOString().slice(0, 10)
  return PLAIN_DATE.test(text) ? (text as Day) : null
}

function plain(of: string): Temporal.PlainDate {
  return Temporal.PlainDate.from(of, { overflow: 'reject' })
}
