/** Where the sandbox clock is to stand after it was moved: read from the request, pure. */
import {
  addDays,
  BUSINESS_ZONE,
  type Day,
  day,
  daysBetween,
  momentOf,
  parisDay,
  startOfDay,
} from '../platform/kit/dates.ts'
import { invalid } from '../platform/kit/problem.ts'

const DAYS_MAX = 400
const MINUTE_MS = 60_000
const PLAIN_DATE = /^\d{4}-\d{2}-\d{2}$/
const ZONED = /(Z|[+-]\d{2}:?\d{2})$/i

/**
 * The moment to move to. `days` keeps the time that Paris clocks show; `to` is a moment (UTC when
 * it names no zone) or the start of a Paris day. Throws `request_invalid` when that is in the past
 * or more than 400 days away (interface.md, Time).
 */
export function clockTarget(
  now: Date,
  asked: { days?: number | undefined; to?: string | undefined },
): Date {
  if (asked.to === undefined) return sameTimeOn(addDays(parisDay(now), asked.days ?? 0), now)
  const target = momentAsked(asked.to)
  // The day it is already: there is nothing to do, and nothing wrong with asking.
  if (target < now && isDay(asked.to) && parisDay(target) === parisDay(now)) return now
  if (target < now) {
    throw invalid({ name: 'to', reason: `is before now, which is ${now.toISOString()}` })
  }
  if (daysBetween(parisDay(now), parisDay(target)) > DAYS_MAX) {
    throw invalid({ name: 'to', reason: `is more than ${DAYS_MAX} days away` })
  }
  return target
}

function isDay(to: string): boolean {
  return PLAIN_DATE.test(to) || to.endsWith('T00:00:00Z')
}

function momentAsked(to: string): Date {
  if (PLAIN_DATE.test(to)) return startOfDay(day(to))
  return new Date(ZONED.test(to) ? to : `${to}Z`)
}

/** The moment on that day at which Paris clocks show what they show at `now`. */
function sameTimeOn(of: Day, now: Date): Date {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: BUSINESS_ZONE,
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  })
  const parts = new Map(clock.formatToParts(now).map(part => [part.type, Number(part.value)]))
  const minute = momentOf(of, parts.get('hour') ?? 0, parts.get('minute') ?? 0)
  // Zones are whole minutes apart, so what is below a minute is the same in all of them.
  return new Date(minute.getTime() + (now.getTime() % MINUTE_MS))
}
