/** What a report is asked for, with the defaults of what was not said. Pure. */
import { addDays, addMonths, type Day, day, readWireDay } from '../../platform/kit/dates.ts'
import { REPORTS, type ReportName } from './catalogue.ts'
import type { Wish } from './report.ts'

/** Every part of a wish as it was written, if it was. */
export type Asked = { readonly [part in keyof Wish]?: string | undefined }

/** A part that makes no sense, and why. */
export interface WrongPart {
  readonly part: keyof Wish
  readonly reason: string
}

/** How far a forecast looks when nobody says. */
const FORECAST_DAYS = 30

/** Before these no books were kept, and after that many months nothing is due. */
const FIRST = day('1970-01-01')
const AHEAD_MONTHS_MAX = 360

/** Days that are written are days (`readWireDay`). */
export function readWish(name: ReportName, asked: Asked, today: Day): Wish | WrongPart {
  const asks: readonly (keyof Wish)[] = REPORTS[name].asks
  const last = asks.includes('per') ? addDays(today, FORECAST_DAYS) : today
  const read = (text: string | undefined) => (text ? readWireDay(text) : null)
  const as_of = read(asked.as_of) ?? today
  if (as_of > today) {
    return { part: 'as_of', reason: `${as_of} is still to come: today is ${today}` }
  }
  const to = read(asked.to)
  const from = read(asked.from) ?? day(`${(to ?? today).slice(0, 7)}-01`)
  for (const [part, on] of Object.entries({ as_of, from, to })) {
    const reason = on && outOfTime(on, today)
    if (reason) return { part: part as 'as_of' | 'from' | 'to', reason }
  }
  if (to && to < from) return { part: 'to', reason: `${to} is before --from ${from}` }
  return {
    as_of,
    from,
    to: to ?? last,
    by: (asked.by as Wish['by']) ?? 'booked',
    per: (asked.per as Wish['per']) ?? 'day',
    partner_id: asked.partner_id ?? null,
    of: asked.of ?? null,
  }
}

/** Why nothing can be told of a day, or null if it can. */
function outOfTime(on: Day, today: Day): string | null {
  if (on < FIRST) return `${on} is before ${FIRST}`
  if (on > addMonths(today, AHEAD_MONTHS_MAX)) return `${on} is more than thirty years ahead`
  return null
}
