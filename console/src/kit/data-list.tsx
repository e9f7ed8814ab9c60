/**
 * A list of the interface as a page: its filters live in the address, its pages follow cursors, and
 * all of it can be taken away as CSV.
 */
import { Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { useAsked } from './address.ts'
import { follow } from './api.ts'
import { CsvButton } from './csv-button.tsx'
import { count } from './format.ts'
import { ordered } from './order.ts'
import { ProblemAlert } from './problem-alert.tsx'
import { Rows } from './rows.tsx'

export interface Page<Row> {
  readonly data: readonly Row[]
  readonly next_page: string | null
  readonly previous_page?: string | null
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
  /** It holds what can be done with a row and says nothing: not ordered by, not in CSV. */
  readonly acts?: true
}

interface Props<Row> {
  /** What names these rows among everything that was read. */
  readonly queryKey: readonly unknown[]
  readonly first: () => Promise<Page<Row>>
  /** Reads the page of an address, where that is not what the address answers. */
  readonly next?: (address: string) => Promise<Page<Row>>
  /** Where CSV begins, if the page shows less than there is to be taken away. */
  readonly whole?: () => Promise<Page<Row>>
  /** It begins with its last page and is read from there to its beginning. */
  readonly backwards?: true
  readonly partner?: string | undefined
  readonly columns: readonly Column<Row>[]
  readonly rowId: (row: Row) => string
  /** Said where there is nothing: what would be here, and how it comes to be. */
  readonly empty: ReactNode
  readonly name: string
}

const NONE: never[] = []

/** More than anybody sees at a time; a browser is busy with many rows, and who wants them asks. */
const AT_ONCE = 100

/** A page of a list that is read from its end. */
function turned<Row>({ data, previous_page, ...page }: Page<Row>): Page<Row> {
  return { ...page, data: data.toReversed(), next_page: previous_page ?? null }
}

export function DataList<Row extends object>(props: Props<Row>) {
  const { queryKey, first, whole = first, backwards, partner, columns, rowId, empty, name } = props
  const { next = (address: string) => follow<Page<Row>>(address, partner) } = props
  const { asked } = useAsked()
  const pages = useInfiniteQuery({
    // Kept page by page: nobody who asks for the same at once may find it like this.
    queryKey: ['list', ...queryKey],
    queryFn: async ({ pageParam }) => {
      const page = await (pageParam === null ? first() : next(pageParam))
      return backwards ? turned(page) : page
    },
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_page,
  })
  const all = useMemo(() => pages.data?.pages.flatMap(page => page.data) ?? NONE, [pages.data])
  // Half a list is not ordered here: what comes first in it may stand anywhere in the whole.
  const by = pages.hasNextPage ? undefined : ([asked.order].flat()[0] as string | undefined)
  const rows = useMemo(() => ordered(all, columns, by), [all, columns, by])
  const [room, setRoom] = useState(AT_ONCE)
  const shown = useMemo(() => rows.slice(0, room), [rows, room])
  const hidden = rows.length > shown.length
  const total = pages.data?.pages[0]?.total ?? (hidden && !pages.hasNextPage ? rows.length : null)
  const showMore = () => {
    setRoom(room + AT_ONCE)
    if (!hidden) pages.fetchNextPage()
  }
  if (pages.isPending) return <Loader role="status" aria-label="Loading" />
  if (pages.error) return <ProblemAlert error={pages.error} />
  if (rows.length === 0) return <Text c="dimmed">{empty}</Text>
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {count(shown.length)} shown{total !== null && ` of ${count(total)}`}
        </Text>
        <CsvButton {...{ name, columns, first: whole, partner }} />
      </Group>
      <Rows
        {...{ columns, rowId, label: name }}
        rows={shown}
        sortable={pages.hasNextPage ? 'server' : 'all'}
      />
      {(hidden || pages.hasNextPage) && (
        <Button variant="default" onClick={showMore} loading={pages.isFetchingNextPage}>
          Show more
        </Button>
      )}
    </Stack>
  )
}
