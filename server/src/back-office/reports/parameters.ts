/** Parses the parameters of a report and applies defaults. Pure. */
import { addDays, addMonths, type Day, day, readWireDay } from '../../platform/kit/dates.ts'
import { REPORTS, type ReportName } from './catalogue.ts'
import type { ReportParameters } from './report.ts'

export type RawParameters = { readonly [part in keyof ReportParameters]?: string | undefined }

export interface InvalidParameter {
  readonly part: keyof ReportParameters
  readonly reason: string
}

const FORECAST_DAYS = 30

/** The earliest valid day, and how many months ahead of today the latest one may lie. */
const FIRST = day('1970-01-01')
const AHEAD_MONTHS_MAX = 360

/** Returns the parameters or the first fault. Days must be well-formed (`readWireDay`). */
export function readReportParameters(
  name: ReportName,
  raw: RawParameters,
  today: Day,
): ReportParameters | InvalidParameter {
  const accepted: readonly (keyof ReportParameters)[] = REPORTS[name].accepted
  const is_forecast = accepted.includes('per')
  const read = (text: string | undefined) => (text ? readWireDay(text) : null)
  const as_of = read(raw.as_of) ?? today
  if (as_of > today) {
    return { part: 'as_of', reason: `${as_of} is still to come: today is ${today}` }
  }
  const to = read(raw.to)
  const from = read(raw.from) ?? day(`${(to ?? today).slice(0, 7)}-01`)
  for (const [part, on] of Object.entries({ as_of, from, to })) {
    const reason = on && outOfRange(on, today)
    if (reason) return { part: part as 'as_of' | 'from' | 'to', reason }
  }
  if (is_forecast && to && to < today) {
    return { part: 'to', reason: `${to} is past: today is ${today}` }
  }
  if (to && to < from) return { part: 'to', reason: `${to} is before --from ${from}` }
  return {
    as_of,
    from,
    to: to ?? (is_forecast ? addDays(today, FORECAST_DAYS) : today),
    by: (raw.by as ReportParameters['by']) ?? 'booked',
    per: (raw.per as ReportParameters['per']) ?? 'day',
    partner_id: raw.partner_id ?? null,
    of: raw.of ?? null,
  }
}

function outOfRange(on: Day, today: Day): string | null {
  if (on < FIRST) return `${on} is before ${FIRST}`
  if (on > addMonths(today, AHEAD_MONTHS_MAX)) return `${on} is more than thirty years ahead`
  return null
}
