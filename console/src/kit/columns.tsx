/** Columns that many lists have: an amount, a day, a moment, a status, a link. */
import type { Column } from './data-list.tsx'
import { day, decimal, moment, money, shortId, words } from './format.ts'
import { PageLink } from './page-link.tsx'
import { Status } from './status.tsx'

type Options = Pick<Column<object>, 'sort'>
type Read<Row, Value> = (row: Row) => Value | null | undefined

/** Cents; in CSV a decimal that a spreadsheet can add up. */
export function amount<Row>(
  id: string,
  header: string,
  read: Read<Row, number>,
  options: Options = {},
): Column<Row> {
  const csv = (row: Row) => decimal(read(row))
  return { id, header, text: row => money(read(row)), csv, numeric: true, ...options }
}

export function dayOf<Row>(
  id: string,
  header: string,
  read: Read<Row, string>,
  options: Options = {},
): Column<Row> {
  const csv = (row: Row) => read(row)?.slice(0, 10) ?? ''
  return { id, header, text: row => day(read(row)), csv, short: true, ...options }
}

export function momentOf<Row>(
  id: string,
  header: string,
  read: Read<Row, string>,
  options: Options = {},
): Column<Row> {
  const csv = (row: Row) => read(row) ?? ''
  return { id, header, text: row => moment(read(row)), csv, short: true, ...options }
}

export function status<Row>(read: (row: Row) => string, header = 'Status'): Column<Row> {
  const cell = (row: Row) => <Status value={read(row)} />
  return { id: header.toLowerCase(), header, text: row => words(read(row)), csv: read, cell }
}

export function plain<Row>(
  id: string,
  header: string,
  read: Read<Row, string>,
  options: Options = {},
): Column<Row> {
  return { id, header, text: row => read(row) || '–', csv: row => read(row) ?? '', ...options }
}

/** The id of something: its end, which leads to whatever has that id. */
export function idOf<Row>(id: string, header: string, read: Read<Row, string>): Column<Row> {
  const cell = (row: Row) => <ThingLink id={read(row)} />
  return { id, header, text: row => read(row) ?? '–', csv: row => read(row) ?? '', cell }
}

/** Leads to what has an id where only that is known. */
export function ThingLink({ id }: { id: string | null | undefined }) {
  if (!id) return '–'
  return (
    <PageLink to="/search" search={{ query: id }}>
      {shortId(id)}
    </PageLink>
  )
}
