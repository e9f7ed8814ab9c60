/** Reads timestamps in shared data. Pure. */
import { assert } from '../../platform/kit/assert.ts'
import { isInFuture, readWireMoment } from '../../platform/kit/dates.ts'
import type { InvalidParam } from '../../platform/kit/problem.ts'

/** Earlier timestamps are refused: they are mistakes, and PostgreSQL cannot store all of them. */
const EARLIEST = Date.UTC(1900, 0, 1)

/** Reads a timestamp. A plain date means midnight UTC, which is how the wire writes a day. */
export function readTimestamp(text: string): Date {
  const moment = readWireMoment(text, 'UTC')
  assert(moment, 'the schemas accept only days and date-times')
  return moment
}

/** Faults of a timestamp, which may lie in the future unless `now` is given. */
export function timestampFaults(
  name: string,
  text: string | null | undefined,
  now: Date | null = null,
): InvalidParam[] {
  if (!text) return []
  const moment = readTimestamp(text)
  if (moment.getTime() < EARLIEST) return [{ name, reason: 'is before 1900' }]
  if (now && isInFuture(moment, now)) return [{ name, reason: 'is in the future' }]
  return []
}
