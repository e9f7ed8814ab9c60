/** Reads moments of shared data. Pure. */
import type { InvalidParam } from '../../platform/kit/problem.ts'

/** Older than any business that is lent to, and a date that every database holds. */
const EARLIEST = Date.UTC(1900, 0, 1)
/** A clock of the caller may be ahead of ours by this much. */
const SKEW_MS = 5 * 60 * 1000

/** A moment without an offset is UTC, as all our date-times; a plain date is its beginning. */
export function momentOf(text: string): Date {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return new Date(`${text}T00:00:00Z`)
  return new Date(/(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`)
}

/** What is wrong with a moment; with `now`, also that it has not come yet. */
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
