/** Parses timestamps in shared data. Pure. */
import { isInFuture } from '../../platform/kit/dates.ts'
import type { InvalidParam } from '../../platform/kit/problem.ts'

/** Older than any business served, and a date that every database can store. */
const EARLIEST = Date.UTC(1900, 0, 1)

/** A time without an offset is UTC, like all our date-times; a plain date means its start. */
export function momentOf(text: string): Date {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return new Date(`${text}T00:00:00Z`)
  return new Date(/(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`)
}

/** Faults of a timestamp; if `now` is given, it must not be in the future. */
export function momentFaults(
  name: string,
  text: string | null | undefined,
  now: Date | null = null,
): InvalidParam[] {
  if (!text) return []
  const moment = momentOf(text)
  if (Number.isNaN(moment.getTime())) return [{ name, reason: 'is no moment' }]
  if (moment.getTime() < EARLIEST) return [{ name, reason: 'is before 1900' }]
  if (now && isInFuture(moment, now)) return [{ name, reason: 'is in the future' }]
  return []
}
