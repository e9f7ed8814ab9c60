/** Sorts fully loaded rows by a column; the server sorts longer lists. */
import type { Column } from './data-list.tsx'

const collator = new Intl.Collator(navigator.language, { numeric: true, sensitivity: 'base' })

/** The sort key of a column: its CSV form, as a number in a numeric column. */
function keyOf<Row>({ csv, text, numeric }: Column<Row>): (row: Row) => string | number {
  const read = csv ?? text
  if (!numeric) return read
  return row => {
    const number = Number.parseFloat(read(row).replaceAll(/[^\d.-]/g, ''))
    return Number.isNaN(number) ? Number.NEGATIVE_INFINITY : number
  }
}

/** Sorts the rows by `column:asc` or `column:desc`; without such a column, keeps their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: string | undefined,
): Row[] {
  const [id, direction] = order?.split(':') ?? []
  const column = columns.find(one => one.id === id)
  if (!column) return [...rows]
  const key = keyOf(column)
  const sign = direction === 'desc' ? -1 : 1
  const compare = (a: string | number, b: string | number) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(`${a}`, `${b}`)
  return rows
    .map(row => ({ row, key: key(row) }))
    .sort((a, b) => sign * compare(a.key, b.key))
    .map(({ row }) => row)
}
