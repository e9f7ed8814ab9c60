/** A table of rows; on a phone each row is a card. */
import { Group, Stack, Table, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'
import { tableFeatures, useTable } from '@tanstack/react-table'
import { useMemo } from 'react'
import { CsvButton } from './csv-button.tsx'
import type { Column } from './data-list.tsx'
import { usePageQuery } from './page-query.ts'

export interface RowsProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowId: (row: Row) => string
  readonly label: string
  /** The columns to sort by: those that the server can sort by, or all if all rows are loaded. */
  readonly sortable?: 'server' | 'all'
  readonly csv?: true
}

const features = tableFeatures({})

/** Explicit roles: on a phone, CSS turns the table into blocks, which would lose its semantics. */
const ROLES = {
  rowgroup: { role: 'rowgroup' },
  row: { role: 'row' },
  columnheader: { role: 'columnheader' },
  cell: { role: 'cell' },
}

export function Rows<Row extends object>(props: RowsProps<Row>) {
  const { columns, rows, rowId, label, sortable, csv } = props
  const defs = useMemo(
    () => columns.map(({ id, header, text }) => ({ id, header, accessorFn: text })),
    [columns],
  )
  const data = rows as Row[]
  const table = useTable({ features, columns: defs, data, getRowId: rowId })
  const byId = new Map(columns.map(column => [column.id, column]))
  const shown = (
    <Table.ScrollContainer
      className="rows-around"
      minWidth={600}
      type="native"
      tabIndex={0}
      aria-label={label}
      role="region"
    >
      {/* Plain elements styled by kit.css, because a table may have thousands of cells. */}
      <Table className="rows" role="table" aria-label={label}>
        <thead {...ROLES.rowgroup}>
          {table.getHeaderGroups().map(group => (
            <tr key={group.id} {...ROLES.row}>
              {group.headers.map(header => (
                <Head key={header.id} column={byId.get(header.column.id)!} sortable={sortable} />
              ))}
            </tr>
          ))}
        </thead>
        <tbody {...ROLES.rowgroup}>
          {table.getRowModel().rows.map(row => (
            <tr key={row.id} {...ROLES.row}>
              {row.getAllCells().map(cell => (
                <Cell key={cell.id} column={byId.get(cell.column.id)!} row={row.original} />
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </Table.ScrollContainer>
  )
  if (!csv) return shown
  const first = async () => ({ data: rows, next_page: null })
  return (
    <Stack gap="xs">
      <Group justify="end">
        <CsvButton name={label} columns={columns} first={first} />
      </Group>
      {shown}
    </Stack>
  )
}

/**
 * Calls the cell renderer instead of using it as a component: each new column list would create new
 * component types, and anything open in a cell would close on refresh.
 */
function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  return (
    <td {...ROLES.cell} {...cellPropsOf(column)}>
      <div>{(column.cell ?? column.text)(row)}</div>
    </td>
  )
}

function cellPropsOf<Row>({ header, numeric, short, acts }: Column<Row>) {
  const className = acts ? 'acts' : numeric ? 'numeric one-line' : short ? 'one-line' : undefined
  return { className, 'data-name': acts ? '' : header }
}

interface HeadProps<Row> {
  readonly column: Column<Row>
  readonly sortable: RowsProps<Row>['sortable']
}

/** The URL parameter and field that sort by this column; null if it is not sortable. */
function placeOf<Row>({ column: { id, sort, acts }, sortable }: HeadProps<Row>) {
  if (!sortable || acts) return null
  if (sort) return { place: 'sort_by', field: sort }
  return sortable === 'all' ? { place: 'order', field: id } : null
}

function Head<Row>(props: HeadProps<Row>) {
  const { pageQuery, setPageQuery } = usePageQuery()
  const { header, numeric, acts } = props.column
  const looks = {
    ...ROLES.columnheader,
    className: acts ? 'acts' : numeric ? 'numeric' : undefined,
  }
  const found = placeOf(props)
  if (!found) {
    return (
      <th {...looks} scope="col">
        {header}
      </th>
    )
  }
  const { place, field } = found
  const up = pageQuery[place] === `${field}:asc`
  const down = pageQuery[place] === `${field}:desc`
  const Icon = up ? IconArrowUp : down ? IconArrowDown : IconArrowsSort
  const none = { sort_by: undefined, order: undefined }
  const next = up ? undefined : `${field}:${down ? 'asc' : 'desc'}`
  return (
    <th {...looks} scope="col" aria-sort={up ? 'ascending' : down ? 'descending' : 'none'}>
      <UnstyledButton fz="sm" fw={700} onClick={() => setPageQuery({ ...none, [place]: next })}>
        <Group gap={4} wrap="nowrap" display="inline-flex">
          {header}
          <Icon size={14} aria-hidden style={{ flexShrink: 0 }} />
        </Group>
      </UnstyledButton>
    </th>
  )
}
