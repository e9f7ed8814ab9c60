/** Columns that many lists share, such as amounts, days and statuses. */
import type { Column } from './data-list.tsx'
import { day, decimal, moment, money, shortId, words } from './format.ts'
import { PageLink } from './page-link.tsx'
import { Status } from './status.tsx'

type Options = Pick<Column<object>, 'sort'>
type Read<Row, Value> = (row: Row) => Value | null | undefined

/** A column of amounts in cents; the CSV has decimals, which a spreadsheet can add up. */
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

/** A column of ids. On the page they are short, and each links to its resource. */
export function idOf<Row>(id: string, header: string, read: Read<Row, string>): Column<Row> {
  const cell = (row: Row) => <ResourceLink id={read(row)} />
  return { id, header, text: row => read(row) ?? '–', csv: row => read(row) ?? '', cell }
}

/** Links to a resource of unknown kind, through the search page. */
export function ResourceLink({ id }: { id: string | null | undefined }) {
  if (!id) return '–'
  return (
    <PageLink to="/search" search={{ query: id }}>
      {shortId(id)}
    </PageLink>
  )
}
