/** What a report is asked for, with the defaults of what was not said. Pure. */
import { addDays, type Day, day, readWireDay } from '../kit/dates.ts'
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
  if (to && to < from) return { part: 'to', reason: `${to} is before --from ${from}` }
  return {
    ...{ as_of, from, to: to ?? last },
    by: (asked.by as Wish['by']) ?? 'booked',
    per: (asked.per as Wish['per']) ?? 'day',
    partner_id: asked.partner_id ?? null,
    of: asked.of ?? null,
  }
}
