/** Rows of anything as a table, which a narrow screen scrolls sideways. */
import { Group, Stack, Table, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react'
import { tableFeatures, useTable } from '@tanstack/react-table'
import { useMemo } from 'react'
import { useAsked } from './address.ts'
import { CsvButton } from './csv-button.tsx'
import type { Column } from './data-list.tsx'

export interface RowsProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowId: (row: Row) => string
  readonly label: string
  /** Its order stands in the address: by what the server knows, or, of a whole list, by all. */
  readonly sortable?: 'server' | 'all'
  /** They may be taken away as CSV. */
  readonly csv?: true
}

const features = tableFeatures({})

export function Rows<Row extends object>(props: RowsProps<Row>) {
  const { columns, rows, rowId, label, sortable, csv } = props
  const defs = useMemo(
    () =>
      columns.map(({ id, header, cell, text }) => ({
        ...{ id, header, accessorFn: text },
        cell: ({ row }: { row: { original: Row } }) => (cell ?? text)(row.original),
      })),
    [columns],
  )
  const data = rows as Row[]
  const table = useTable({ features, columns: defs, data, getRowId: rowId })
  const byId = new Map(columns.map(column => [column.id, column]))
  const shown = (
    <Table.ScrollContainer
      minWidth={600}
      type="native"
      tabIndex={0}
      aria-label={label}
      role="region"
    >
      <Table striped highlightOnHover stickyHeader aria-label={label}>
        <Table.Thead>
          {table.getHeaderGroups().map(group => (
            <Table.Tr key={group.id}>
              {group.headers.map(header => (
                <Head key={header.id} column={byId.get(header.column.id)!} sortable={sortable} />
              ))}
            </Table.Tr>
          ))}
        </Table.Thead>
        <Table.Tbody>
          {table.getRowModel().rows.map(row => (
            <Table.Tr key={row.id}>
              {row.getAllCells().map(cell => (
                <Table.Td key={cell.id} {...looksOf(byId.get(cell.column.id)!)}>
                  <table.FlexRender cell={cell} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
  if (!csv) return shown
  const first = async () => ({ data: rows, next_page: null })
  return (
    <Stack gap="xs">
      <Group justify="end">
        <CsvButton {...{ name: label, columns, first }} />
      </Group>
      {shown}
    </Stack>
  )
}

function looksOf<Row>({ numeric, short }: Column<Row>) {
  const ta = numeric ? ('right' as const) : ('left' as const)
  return numeric || short ? { ta, style: { whiteSpace: 'nowrap' as const } } : { ta }
}

interface HeadProps<Row> {
  readonly column: Column<Row>
  readonly sortable: RowsProps<Row>['sortable']
}

/** Where the address says the order of a column, and what it is called there. */
function placeOf<Row>({ column: { id, sort, acts }, sortable }: HeadProps<Row>) {
  if (!sortable || acts) return null
  if (sort) return { place: 'sort_by', field: sort }
  return sortable === 'all' ? { place: 'order', field: id } : null
}

/** The name of a column; where the list can be ordered by it, a button that does so. */
function Head<Row>(props: HeadProps<Row>) {
  const { asked, ask } = useAsked()
  const { header, numeric } = props.column
  const ta = numeric ? 'right' : 'left'
  const found = placeOf(props)
  if (!found) {
    return (
      <Table.Th ta={ta} scope="col">
        {header}
      </Table.Th>
    )
  }
  const { place, field } = found
  const up = asked[place] === `${field}:asc`
  const down = asked[place] === `${field}:desc`
  const Icon = up ? IconArrowUp : down ? IconArrowDown : IconArrowsSort
  const none = { sort_by: undefined, order: undefined }
  const next = up ? undefined : `${field}:${down ? 'asc' : 'desc'}`
  return (
    <Table.Th ta={ta} scope="col" aria-sort={up ? 'ascending' : down ? 'descending' : 'none'}>
      <UnstyledButton fz="sm" fw={700} onClick={() => ask({ ...none, [place]: next })}>
        <Group gap={4} wrap="nowrap" display="inline-flex">
          {header}
          <Icon size={14} aria-hidden style={{ flexShrink: 0 }} />
        </Group>
      </UnstyledButton>
    </Table.Th>
  )
}
