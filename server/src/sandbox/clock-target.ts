/** Computes the target of a clock move from the request. Pure. */
import { assert } from '../platform/kit/assert.ts'
import {
  addDays,
  BUSINESS_ZONE,
  type Day,
  daysBetween,
  isPlainDate,
  momentOf,
  parisDay,
  readWireMoment,
} from '../platform/kit/dates.ts'
import { invalid } from '../platform/kit/problem.ts'

const DAYS_MAX = 400
const MINUTE_MS = 60_000

/**
 * The time to move to. `days` keeps the time of day in Paris; `to` is a timestamp (in UTC if it has
 * no zone) or a day, meaning its start in Paris. Throws `request_invalid` if `to` is in the past or
 * more than 400 days ahead.
 */
export function clockTarget(
  now: Date,
  request: { days?: number | undefined; to?: string | undefined },
): Date {
  if (request.to === undefined) return sameTimeOn(addDays(parisDay(now), request.days ?? 0), now)
  const target = readWireMoment(request.to)
  assert(target, 'the schema accepts only days and date-times')
  // Moving to the current day is allowed and does nothing.
  if (target < now && isDay(request.to) && parisDay(target) === parisDay(now)) return now
  if (target < now) {
    throw invalid({ name: 'to', reason: `is before now, which is ${now.toISOString()}` })
  }
  if (daysBetween(parisDay(now), parisDay(target)) > DAYS_MAX) {
    throw invalid({ name: 'to', reason: `is more than ${DAYS_MAX} days away` })
  }
  return target
}

function isDay(to: string): boolean {
  return isPlainDate(to) || to.endsWith('T00:00:00Z')
}

function sameTimeOn(of: Day, now: Date): Date {
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: BUSINESS_ZONE,
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  })
  const parts = new Map(clock.formatToParts(now).map(part => [part.type, Number(part.value)]))
  const minute = momentOf(of, parts.get('hour') ?? 0, parts.get('minute') ?? 0)
  // Time zones differ by whole minutes, so seconds are the same in all of them.
  return new Date(minute.getTime() + (now.getTime() % MINUTE_MS))
}
