/** Parses timestamps in shared data. Pure. */
import type { InvalidParam } from '../../platform/kit/problem.ts'

/** Older than any business served, and a date that every database can store. */
const EARLIEST = Date.UTC(1900, 0, 1)
/** Tolerance for a caller's clock that runs ahead. */
const SKEW_MS = 5 * 60 * 1000

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
  const time = momentOf(text).getTime()
  if (Number.isNaN(time)) return [{ name, reason: 'is no moment' }]
  if (time < EARLIEST) return [{ name, reason: 'is before 1900' }]
  if (now && time > now.getTime() + SKEW_MS) return [{ name, reason: 'is in the future' }]
  return []
}
