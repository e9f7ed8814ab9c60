/** Shows a list of the API page by page, and exports the whole list as CSV. */
import { Button, Group, Loader, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo, useState } from 'react'
import { fetchAddress } from './api.ts'
import { CsvButton } from './csv-button.tsx'
import { count } from './format.ts'
import { usePageQuery } from './page-query.ts'
import { ProblemAlert } from './problem-alert.tsx'
import { Rows } from './rows.tsx'
import { sortRows } from './sort-rows.ts'

export interface Page<Row> {
  readonly data: readonly Row[]
  readonly next_page: string | null
  readonly previous_page?: string | null
  readonly total?: number | null
}

export interface Column<Row> {
  readonly id: string
  readonly header: string
  /** The text of a cell: in the CSV, unless `csv` is given, and on the page, unless `cell` is. */
  readonly text: (row: Row) => string
  readonly cell?: (row: Row) => ReactNode
  /** A machine-readable form for the CSV, where it differs from the text. */
  readonly csv?: (row: Row) => string
  readonly numeric?: true
  /** Set if the text must not wrap, such as a day. */
  readonly short?: true
  /** The field that `sort_by` of the API accepts for this column. */
  readonly sort?: string
  /** Set if the column holds buttons: it is then neither sortable nor part of the CSV. */
  readonly acts?: true
}

interface Props<Row> {
  readonly queryKey: readonly unknown[]
  readonly first: () => Promise<Page<Row>>
  /** Fetches the page that `next_page` names, for lists whose responses need conversion. */
  readonly next?: (address: string) => Promise<Page<Row>>
  /** The first page for the CSV, where it differs from the first page on screen. */
  readonly whole?: () => Promise<Page<Row>>
  /** Shows the last page first and reads backwards from there. */
  readonly backwards?: true
  readonly partner?: string | undefined
  readonly columns: readonly Column<Row>[]
  readonly rowId: (row: Row) => string
  /** Shown if the list is empty: what it would list, and how an entry gets there. */
  readonly empty: ReactNode
  readonly name: string
}

const NONE: never[] = []

/** Rows rendered at first, and added by each "Show more". Rendering many at once is slow. */
const AT_ONCE = 100

/** Reverses a page of a list that is read from its end. */
function reversed<Row>({ data, previous_page, ...page }: Page<Row>): Page<Row> {
  return { ...page, data: data.toReversed(), next_page: previous_page ?? null }
}

export function DataList<Row extends object>(props: Props<Row>) {
  const { queryKey, first, whole = first, backwards, partner, columns, rowId, empty, name } = props
  const { next = (address: string) => fetchAddress<Page<Row>>(address, partner) } = props
  const { pageQuery } = usePageQuery()
  const pages = useInfiniteQuery({
    // An infinite query needs its own key: its cached data has another shape than a plain query's.
    queryKey: ['list', ...queryKey],
    queryFn: async ({ pageParam }) => {
      const page = await (pageParam === null ? first() : next(pageParam))
      return backwards ? reversed(page) : page
    },
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_page,
  })
  const all = useMemo(() => pages.data?.pages.flatMap(page => page.data) ?? NONE, [pages.data])
  // Sorts only a complete list: the first of the rows loaded so far need not be the first of all.
  const by = pages.hasNextPage ? undefined : ([pageQuery.order].flat()[0] as string | undefined)
  const rows = useMemo(() => sortRows(all, columns, by), [all, columns, by])
  const [shownMax, setShownMax] = useState(AT_ONCE)
  const shown = useMemo(() => rows.slice(0, shownMax), [rows, shownMax])
  const hidden = rows.length > shown.length
  const total = pages.data?.pages[0]?.total ?? (hidden && !pages.hasNextPage ? rows.length : null)
  const showMore = () => {
    setShownMax(shownMax + AT_ONCE)
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
        <CsvButton name={name} columns={columns} first={whole} partner={partner} />
      </Group>
      <Rows
        columns={columns}
        rowId={rowId}
        label={name}
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
