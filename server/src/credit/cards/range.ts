/** Reads the time range for which entries are requested. Pure. */
import {
  addDays,
  type Day,
  day,
  lastOfMonth,
  parisDay,
  readWireDay,
  readWireMoment,
  startOfDay,
} from '../../platform/kit/dates.ts'
import { invalid } from '../../platform/kit/problem.ts'

export interface RangeQuery {
  readonly from_date?: string | undefined
  readonly to_date?: string | undefined
  readonly period?: string | undefined
}

export interface Range {
  /** `from` is inclusive, `until` exclusive. Null means unbounded. */
  readonly from: Date | null
  readonly until: Date | null
  /** The first and last day in the range. */
  readonly from_on: Day | null
  readonly to_on: Day | null
}

const FIRST_DAY = day('0001-01-01')
const LAST_DAY = day('9999-12-31')

/** Reads the range; a period is a whole month. Throws `request_invalid`. */
export function readRange({ from_date, to_date, period }: RangeQuery): Range {
  if (period !== undefined && (from_date ?? to_date) !== undefined) {
    throw invalid({ name: 'period', reason: 'cannot be combined with from_date or to_date' })
  }
  if (period !== undefined) return wholeMonth(period)
  const from = readMoment('from_date', from_date)
  const until = readMoment('to_date', to_date)
  if (from && until && until < from) {
    throw invalid({ name: 'to_date', reason: 'is before from_date' })
  }
  return { from, until, from_on: from && parisDay(from), to_on: until && lastDayBefore(until) }
}

function lastDayBefore(until: Date): Day {
  // `FIRST_DAY` has no day before it.
  return until <= startOfDay(FIRST_DAY) ? FIRST_DAY : parisDay(new Date(until.getTime() - 1))
}

function wholeMonth(period: string): Range {
  const from_on = readWireDay(`${period}-01`)
  if (from_on === null) throw invalid({ name: 'period', reason: 'is not a month' })
  const to_on = lastOfMonth(from_on)
  // `LAST_DAY` has no day after it.
  const until = to_on < LAST_DAY ? startOfDay(addDays(to_on, 1)) : null
  return { from: startOfDay(from_on), until, from_on, to_on }
}

function readMoment(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null
  const found = readWireMoment(text)
  if (found === null) throw invalid({ name, reason: 'is neither a day nor a moment' })
  return found
}
