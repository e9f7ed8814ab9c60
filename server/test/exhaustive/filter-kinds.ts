/**
 * Kinds of filters as the tests expect them: the values to request, taken from the rows of the full
 * list, and which of those rows match.
 */
import type { Json } from '@headroom/contract'
import {
  addDays,
  type Day,
  parisDay,
  readWireDay,
  readWireMoment,
} from '../../src/platform/kit/dates.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows of every list, read by field name
export type Row = any

export interface Filter {
  /** Values of the parameter, single or repeated. */
  readonly queriesOf: (rows: readonly Row[]) => readonly string[][]
  readonly fits: (row: Row, requested: readonly string[]) => boolean
  /** Set if no row can match: the reason. */
  readonly nothing?: string
}

export interface ListOracle {
  /** The path parameters of each list to test; by default, the ID of each known resource. */
  readonly inputs?: readonly Record<string, string>[]
  /** Filters in addition to those of `filtersByField`, or in place of them. */
  readonly filters?: Readonly<Record<string, Filter>>
  /** Parameters that keep the same rows but change their fields. */
  readonly views?: Readonly<Record<string, (row: Row, requested: string) => Row>>
  /** The sort key of each field of `sort_by`. */
  readonly sorts?: Readonly<Record<string, (row: Row) => string | number>>
  /** Set if the list begins with the oldest row by default. */
  readonly oldest_first?: true
  /** The time-ordered field of a row; its ID by default, null if rows show none. */
  readonly ordered_by?: ((row: Row) => string) | null
}

type Get<T> = (row: Row) => T

export const unique = <T>(values: readonly T[]): T[] => [...new Set(values)]

const UNKNOWN = '01900000-0000-7000-8000-00000000dead'

/** Some values alone, the first with the last, and the first with an unknown one. */
function alone(values: readonly string[], stranger: readonly string[]): string[][] {
  const few = unique(values).slice(0, 12)
  if (few.length === 0) return []
  return [...few.map(value => [value]), [few[0]!, few.at(-1)!], [few[0]!, ...stranger]]
}

/** Matches rows with one of the requested values. `all` are the values of an enum. */
export function oneOf(get: Get<string | string[] | null>, all: readonly string[] = []): Filter {
  const of = (row: Row) => [get(row)].flat().filter(value => value !== null)
  return {
    queriesOf: rows => [...alone(rows.flatMap(of), []), ...all.map(value => [value])],
    fits: (row, requested) => of(row).some(value => requested.includes(value)),
  }
}

/** Like `oneOf`, for IDs; also requests an unknown one. */
export function idOf(get: Get<string | string[] | null>): Filter {
  const { fits, queriesOf } = oneOf(get)
  return {
    fits,
    queriesOf: rows => [...queriesOf(rows), [UNKNOWN], [...(queriesOf(rows)[0] ?? []), UNKNOWN]],
  }
}

/** Accepts only a single value. */
export function single(filter: Filter): Filter {
  return {
    ...filter,
    queriesOf: rows => filter.queriesOf(rows).filter(requested => requested.length === 1),
  }
}

/** Matches rows by any of their names or numbers. */
export function named(get: Get<(string | null)[]>, stranger = '356000000'): Filter {
  const of = (row: Row) => get(row).filter(name => name !== null)
  return {
    queriesOf: rows => [...alone(rows.flatMap(of), [stranger]), [stranger]],
    fits: (row, requested) => of(row).some(name => requested.includes(name)),
  }
}

export function flag(get: Get<boolean>): Filter {
  return {
    queriesOf: () => [['true'], ['false']],
    fits: (row, [requested]) => get(row) === (requested === 'true'),
  }
}

/** Matches part of a text, ignoring case. Pattern characters are literal. */
export function words(get: Get<(string | null)[]>): Filter {
  const of = (row: Row) => get(row).filter(text => text !== null && text !== '') as string[]
  return {
    queriesOf: rows => [
      ...unique(rows.flatMap(of))
        .slice(0, 12)
        .flatMap(text => [[text], [text.slice(1, 5).toUpperCase()]])
        .filter(([text]) => text!.length > 0),
      ['%'],
      ['_'],
    ],
    fits: (row, [requested]) =>
      of(row).some(text => text.toLowerCase().includes(requested!.toLowerCase())),
  }
}

const SIGNS = {
  '>=': (a: number | string, b: number | string) => a >= b,
  '<': (a: number | string, b: number | string) => a < b,
  '<=': (a: number | string, b: number | string) => a <= b,
  '>': (a: number | string, b: number | string) => a > b,
} as const

type Sign = keyof typeof SIGNS

/** Days, each written as a day and as a time, and the days before and after it. */
export function days(get: Get<string | null>, sign: Sign): Filter {
  return {
    queriesOf: rows =>
      unique(rows.map(get).filter(at => at !== null))
        .slice(0, 6)
        .map(at => at.slice(0, 10) as Day)
        .flatMap(day => [
          [day],
          [`${day}T00:00:00Z`],
          // At 23:30 UTC, it is already the next day in Paris.
          [`${addDays(day, -1)}T23:30:00Z`],
          [addDays(day, 1)],
          [addDays(day, -1)],
        ]),
    fits: (row, [requested]) => {
      const at = get(row)
      return at !== null && SIGNS[sign](at.slice(0, 10), readWireDay(requested!)!)
    },
  }
}

/** Timestamps: to the millisecond, with an offset, and as days, which begin at Paris midnight. */
export function moments(get: Get<string | null>, sign: Sign): Filter {
  return {
    queriesOf: rows =>
      unique(rows.map(get).filter(at => at !== null))
        .slice(0, 8)
        .flatMap(at => [
          [at],
          [new Date(Date.parse(at) + 3_600_000).toISOString().replace('Z', '+01:00')],
          [parisDay(new Date(at))],
          [addDays(parisDay(new Date(at)), 1)],
        ]),
    fits: (row, [requested]) => {
      const at = get(row)
      return at !== null && SIGNS[sign](Date.parse(at), readWireMoment(requested!)!.getTime())
    },
  }
}

/**
 * The filters that follow from the parameters' names. A parameter named like a field matches rows
 * by that field. After the name of a day, `_from` matches rows from that day on, and `_to` rows
 * before it. Both arguments are properties of JSON Schemas.
 */
export function filtersByField(
  parameters: Readonly<Record<string, Json>>,
  fields: Readonly<Record<string, Json>>,
): Record<string, Filter> {
  const filters = Object.entries(parameters).map(([name, schema]) => {
    const { items } = schema as { items?: Json }
    const [, day, side] = /^(.+)_(from|to)$/.exec(name) ?? []
    if (day && day in fields && isDay(fields[day]!)) {
      return [name, days(row => row[day], side === 'from' ? '>=' : '<')]
    }
    if (!(name in fields)) return []
    if (fields[name]!.type === 'boolean') return [name, flag(row => row[name])]
    const of = (items ?? schema) as { format?: string; enum?: string[] }
    const filter =
      of.format === 'uuid'
        ? idOf(row => row[name])
        : of.enum
          ? oneOf(row => row[name], of.enum)
          : null
    return filter ? [name, items ? filter : single(filter)] : []
  })
  return Object.fromEntries(filters.filter(one => one.length > 0))
}

const isDay = ({ format, anyOf = [] }: Json): boolean =>
  format === 'date-time' || (anyOf as Json[]).some(isDay)

/** Matches no row, or every row if the requested value is `false`. */
export function never(reason: string, queriesOf: readonly string[][]): Filter {
  return {
    queriesOf: () => queriesOf,
    fits: (_, [requested]) => requested === 'false',
    nothing: reason,
  }
}
