/**
 * A list of the interface as a page: its filters live in the address, its pages follow cursors, and
 * all of it can be taken away as CSV.
 */
import { Button, Group, Loader, Stack, Table, Text, UnstyledButton } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconArrowDown, IconArrowsSort, IconArrowUp, IconDownload } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { tableFeatures, useTable } from '@tanstack/react-table'
import { type ReactNode, useMemo, useState } from 'react'
import { useAsked } from './address.ts'
import { follow } from './api.ts'
import { saveCsv } from './csv.ts'
import { count } from './format.ts'
import { ProblemAlert, problemText } from './problem-alert.tsx'

export interface Page<Row> {
  readonly data: readonly Row[]
  readonly next_page: string | null
  readonly total?: number | null
}

export interface Column<Row> {
  readonly id: string
  readonly header: string
  /** What the column says: in a cell of CSV, and on the page where `cell` shows nothing else. */
  readonly text: (row: Row) => string
  readonly cell?: (row: Row) => ReactNode
  /** What a program reads in CSV, where people read something else. */
  readonly csv?: (row: Row) => string
  readonly numeric?: true
  /** Kept on one line, such as a day. */
  readonly short?: true
  /** The field by which `sort_by` of the interface orders by this column. */
  readonly sort?: string
}

interface Props<Row> {
  /** What names these rows among everything that was read. */
  readonly queryKey: readonly unknown[]
  readonly first: () => Promise<Page<Row>>
  readonly partner?: string | undefined
  readonly columns: readonly Column<Row>[]
  readonly rowId: (row: Row) => string
  /** Said where there is nothing: what would be here, and how it comes to be. */
  readonly empty: ReactNode
  readonly name: string
}

const features = tableFeatures({})
const NONE: never[] = []

export function DataList<Row extends object>(props: Props<Row>) {
  const { queryKey, first, partner, columns, rowId, empty, name } = props
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) =>
      pageParam === null ? first() : follow<Page<Row>>(pageParam, partner),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_page,
  })
  const rows = useMemo(() => pages.data?.pages.flatMap(page => page.data) ?? NONE, [pages.data])
  const total = pages.data?.pages[0]?.total
  if (pages.isPending) return <Loader aria-label="Loading" />
  if (pages.error) return <ProblemAlert error={pages.error} />
  if (rows.length === 0) return <Text c="dimmed">{empty}</Text>
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {count(rows.length)} shown{total != null && ` of ${count(total)}`}
        </Text>
        <CsvButton name={name} columns={columns} first={first} partner={partner} />
      </Group>
      <Rows columns={columns} rows={rows as Row[]} rowId={rowId} label={name} />
      {pages.hasNextPage && (
        <Button
          variant="default"
          onClick={() => pages.fetchNextPage()}
          loading={pages.isFetchingNextPage}
        >
          Show more
        </Button>
      )}
    </Stack>
  )
}

interface RowsProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly rows: Row[]
  readonly rowId: (row: Row) => string
  readonly label: string
}

export function Rows<Row extends object>({ columns, rows, rowId, label }: RowsProps<Row>) {
  const defs = useMemo(
    () =>
      columns.map(({ id, header, cell, text }) => ({
        ...{ id, header, accessorFn: text },
        cell: ({ row }: { row: { original: Row } }) => (cell ?? text)(row.original),
      })),
    [columns],
  )
  const table = useTable({ features, columns: defs, data: rows, getRowId: rowId })
  const byId = new Map(columns.map(column => [column.id, column]))
  return (
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
                <Head key={header.id} column={byId.get(header.column.id)!} />
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
}

function looksOf<Row>({ numeric, short }: Column<Row>) {
  const ta = numeric ? ('right' as const) : ('left' as const)
  return numeric || short ? { ta, style: { whiteSpace: 'nowrap' as const } } : { ta }
}

/** The name of a column; where the list can be ordered by it, a button that does so. */
function Head<Row>({ column: { header, sort, numeric } }: { column: Column<Row> }) {
  const { asked, ask } = useAsked()
  const ta = numeric ? 'right' : 'left'
  if (!sort) {
    return (
      <Table.Th ta={ta} scope="col">
        {header}
      </Table.Th>
    )
  }
  const up = asked.sort_by === `${sort}:asc`
  const down = asked.sort_by === `${sort}:desc`
  const Icon = up ? IconArrowUp : down ? IconArrowDown : IconArrowsSort
  return (
    <Table.Th ta={ta} scope="col" aria-sort={up ? 'ascending' : down ? 'descending' : 'none'}>
      <UnstyledButton
        fz="sm"
        fw={700}
        onClick={() => ask({ sort_by: up ? undefined : `${sort}:${down ? 'asc' : 'desc'}` })}
      >
        <Group gap={4} wrap="nowrap" display="inline-flex">
          {header}
          <Icon size={14} aria-hidden />
        </Group>
      </UnstyledButton>
    </Table.Th>
  )
}

type CsvProps<Row> = Pick<Props<Row>, 'name' | 'columns' | 'first' | 'partner'>

function CsvButton<Row extends object>({ name, columns, first, partner }: CsvProps<Row>) {
  const [read, setRead] = useState<number | null>(null)
  const take = async () => {
    const rows: Row[] = []
    setRead(0)
    try {
      let page = await first()
      for (;;) {
        rows.push(...page.data)
        setRead(rows.length)
        if (page.next_page === null) break
        page = await follow<Page<Row>>(page.next_page, partner)
      }
      saveCsv(name, columns, rows)
    } catch (error) {
      const message = `After ${count(rows.length)} rows: ${problemText(error)}`
      notifications.show({ color: 'red', title: 'There is no CSV', message })
    } finally {
      setRead(null)
    }
  }
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      leftSection={<IconDownload size={16} />}
      onClick={take}
      disabled={read !== null}
    >
      {read === null ? 'CSV' : `${count(read)} rows read`}
    </Button>
  )
}
