/** Keyset pagination: later pages cost no more than the first, and new rows do not shift them. */
import { type RawBuilder, sql } from 'kysely'
import { sha256 } from '../kit/crypto.ts'
import { isPlainDate, readWireDay, readWireMoment } from '../kit/dates.ts'
import { isUuid } from '../kit/ids.ts'
import { createYielder } from '../kit/pauses.ts'
import { invalid } from '../kit/problem.ts'
import type { DB } from './schema.ts'
import type { Tx } from './transaction.ts'

export interface PageRequest {
  /** The list's path with its filters, without the cursor. */
  readonly path: string
  readonly page_size: number
  readonly cursor?: string | undefined
}

/** The columns that order a list, the last one unique, all in the same direction. */
export interface Order {
  readonly columns: readonly { readonly sql: RawBuilder<unknown>; readonly cast: KeyType }[]
  readonly direction: 'asc' | 'desc'
}

/**
 * The bytes of a row in the response that are not in its columns, because they are loaded
 * separately.
 */
export type ExtraBytes<Row> = (row: Row) => number

export function newestFirst(id: RawBuilder<unknown> = sql.ref('id')): Order {
  return { columns: [{ sql: id, cast: 'uuid' }], direction: 'desc' }
}

export interface Page<T> {
  data: T[]
  count: number
  page_size: number
  next_page: string | null
  previous_page: string | null
  total: number | null
}

/** A page ends before the row that would exceed this size, including bytes loaded separately. */
const PAGE_BYTES_MAX = 2 * 1024 * 1024
/** Counting stops here; above it `total` is null. */
const TOTAL_MAX = 10_000
const FIGURE_BYTES = 8
const DATE_BYTES = 24
const LIST_MARK_LENGTH = 8
/** Rows to fetch: a page size plus one, which shows whether another page follows. */
const LIMITS = [2, 11, 26, 51, 101]

interface Cursor {
  back: boolean
  key: string[]
}

type Keyed = { page_key: string[] }

/** The `ilike` pattern that matches any text containing this one. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, c => `\\${c}`)}%`
}

/** With more values than this, one condition covers them all. */
const ARMS_MAX = 12

type Values = readonly string[] | undefined
type Cast = 'uuid' | 'text'

/** How to read a list's rows in a given order, and the filter column already applied to them. */
export interface FilteredRows {
  readonly rows: (in_order: RawBuilder<unknown>) => RawBuilder<unknown>
  readonly by: string | null
}

/**
 * A table's rows, narrowed by the first filter that is set and by the partner, if given; the whole
 * table without a filter. Do not repeat that filter in the query: each repetition lowers the
 * planner's row estimate.
 */
export function filteredRows(
  table: keyof DB & string,
  partner_id: string | null,
  filters: readonly (readonly [column: string, values: Values, cast: Cast])[],
): FilteredRows {
  for (const [column, values, cast] of filters) {
    if (values) return { rows: rowsWith(table, partner_id, column, values, cast), by: column }
  }
  return { rows: () => sql.table(table), by: null }
}

/**
 * Rows whose `column` is one of `values`. Up to `ARMS_MAX` values get a subquery each, which reads
 * an index in id order. A page of rare values then reads few other rows; a single `any` condition
 * would be planned as if most rows matched. Without `in_order`, every subquery is read in full.
 */
function rowsWith(
  table: keyof DB & string,
  partner_id: string | null,
  column: string,
  values: readonly string[],
  cast: Cast,
): FilteredRows['rows'] {
  const own = sql`select * from ${sql.table(table)}
    where ${partner_id === null ? sql`` : sql`partner_id = ${partner_id} and`} ${sql.ref(column)}`
  const distinct = [...new Set(values)]
  if (distinct.length === 0 || distinct.length > ARMS_MAX) {
    return () => sql`(${own} = any(${distinct}::text[]::${sql.raw(cast)}[]))`
  }
  const arms = distinct.map(value => sql`${own} = ${value}::${sql.raw(cast)}`)
  if (arms.length === 1) return () => sql`(${arms[0]})`
  return in_order =>
    sql`(${sql.join(
      arms.map(arm => sql`(${arm} ${in_order})`),
      sql` union all `,
    )})`
}

/**
 * Reads one page. `select` builds the query without order and limit. It receives a condition for
 * its `where`, a column `page_key` to select, and the order for `filteredRows`, which is empty
 * unless the list is in id order, e.g. `sql\`select l.*, ${key} from loans l where ${mine} and
 * ${where}\``. A page ends before the row that would exceed `PAGE_BYTES_MAX`, but always has at
 * least one row.
 */
export async function readPage<Row>(
  tx: Tx,
  request: PageRequest,
  order: Order,
  select: (
    where: RawBuilder<unknown>,
    key: RawBuilder<unknown>,
    in_order: RawBuilder<unknown>,
  ) => RawBuilder<Row>,
  bytesBeside: ExtraBytes<Row> = () => 0,
): Promise<Page<Row>> {
  const cursor =
    request.cursor === undefined ? null : readCursor(request.cursor, listOf(request), order)
  const columns = sql.join(order.columns.map(c => c.sql))
  const key = sql`array[${sql.join(order.columns.map(c => sql`(${c.sql})::text`))}] as page_key`
  const descending = (order.direction === 'desc') !== (cursor?.back ?? false)
  const values = order.columns.map((c, i) => sql`${cursor?.key[i]}::text::${sql.raw(c.cast)}`)
  const where = cursor
    ? sql`(${columns}) ${sql.raw(descending ? '<' : '>')} (${sql.join(values)})`
    : sql`true`
  const keyword = sql.raw(descending ? 'desc' : 'asc')
  const by = sql.join(order.columns.map(c => sql`${c.sql} ${keyword}`))
  const in_order = order.columns.length === 1 ? sql`order by id ${keyword}` : sql``
  const query = sql<
    Row & Keyed
  >`${select(where, key, in_order)} order by ${by} limit ${limitFor(request.page_size)}`
  const rows = await tx.all(query)
  const data = rows.slice(0, await rowsOfPage(rows, request.page_size, bytesBeside))
  const more = rows.length > data.length
  if (cursor?.back) data.reverse()
  const hasNext = cursor?.back ? true : more
  const hasPrevious = cursor?.back ? more : cursor !== null
  const total = await countUpTo(tx, select(sql`true`, sql`array[]::text[] as page_key`, sql``))
  return {
    data,
    count: data.length,
    page_size: request.page_size,
    next_page: address(request, data.at(-1), hasNext, false),
    previous_page: address(request, data[0], hasPrevious, true),
    total,
  }
}

export async function viewPage<Row, View>(
  page: Page<Row>,
  view: (row: Row) => View,
): Promise<Page<View>> {
  return { ...page, data: await viewRows(page.data, view) }
}

/** The views of rows, built in pieces so that other requests are served in between. */
export async function viewRows<Row, View>(
  rows: readonly Row[],
  view: (row: Row) => View,
): Promise<View[]> {
  const pauseWhenDue = createYielder({ at_once: true })
  const views: View[] = []
  for (const row of rows) {
    await pauseWhenDue()
    views.push(view(row))
  }
  return views
}

/** How many of the first rows form a page, within its limits of rows and bytes. */
export async function rowsOfPage<Row>(
  rows: readonly Row[],
  page_size: number,
  bytesBeside: ExtraBytes<Row> = () => 0,
): Promise<number> {
  const pauseWhenDue = createYielder({ at_once: true })
  let bytes = 0
  let count = 0
  for (const row of rows) {
    await pauseWhenDue()
    bytes += bytesOf(row) + bytesBeside(row)
    if (count === page_size || (count > 0 && bytes > PAGE_BYTES_MAX)) break
    count += 1
  }
  return count
}

/** A value's approximate size as JSON, in bytes. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return FIGURE_BYTES
  if (value instanceof Date) return DATE_BYTES
  if (Buffer.isBuffer(value)) return value.length
  let bytes = 0
  for (const name in value) bytes += name.length + bytesOf(value[name as keyof typeof value])
  return bytes
}

/**
 * The limit is a literal: with a parameter, the planner assumes that a page is a tenth of the list,
 * and joins and sorts all rows. It is one of a few values, so that there are few statements.
 */
function limitFor(page_size: number): RawBuilder<unknown> {
  const rows = page_size + 1
  return sql.lit(LIMITS.find(limit => limit >= rows) ?? rows)
}

async function countUpTo(tx: Tx, all: RawBuilder<unknown>): Promise<number | null> {
  const { n } = await tx.one(
    sql<{ n: number }>`
      select count(*)::int as n from (${all} limit ${sql.lit(TOTAL_MAX + 1)}) counted`,
  )
  return n > TOTAL_MAX ? null : n
}

function address(
  request: PageRequest,
  row: Keyed | undefined,
  there: boolean,
  back: boolean,
): string | null {
  if (!there || row === undefined) return null
  const place = JSON.stringify([listOf(request), back ? 1 : 0, ...row.page_key])
  const cursor = Buffer.from(place).toString('base64url')
  return `${request.path}${request.path.includes('?') ? '&' : '?'}cursor=${cursor}`
}

/**
 * Identifies a list and its sort order in cursors, regardless of filters. A cursor from another
 * list or order does not match.
 */
function listOf({ path }: PageRequest): string {
  const [list, query] = path.split('?', 2)
  const sort_by = new URLSearchParams(query).get('sort_by') ?? ''
  return sha256(`${list} ${sort_by}`).slice(0, LIST_MARK_LENGTH)
}

function readCursor(text: string, list: string, order: Order): Cursor {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (Array.isArray(parsed) && parsed.length === order.columns.length + 2) {
      const [of, back, ...key] = parsed
      const fits =
        of === list &&
        key.every((k, i) => typeof k === 'string' && CASTABLE[order.columns[i]!.cast](k))
      if (fits) return { back: back === 1, key }
    }
  } catch {
    // Falls through to the error below.
  }
  throw invalid({ name: 'cursor', reason: 'is not a cursor of this list' })
}

/** A timestamp as PostgreSQL writes it. PostgreSQL refuses offsets of 16 hours or more. */
const MOMENT = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(?:\.\d{1,6})?[+-](?:0\d|1[0-5])(?::[0-5]\d)?$/

/** Values PostgreSQL can cast to each type, so that no cursor can make a query fail. */
const CASTABLE = {
  uuid: isUuid,
  date: value => isPlainDate(value) && readWireDay(value) !== null,
  bigint: value => /^-?\d{1,18}$/.test(value),
  text: value => /^\P{Cc}{0,200}$/u.test(value) && value.isWellFormed(),
  timestamptz: value => MOMENT.test(value) && readWireMoment(localPart(value)) !== null,
} satisfies Record<string, (value: string) => boolean>

/** The date-time before the fraction and the offset, which PostgreSQL abbreviates to hours. */
function localPart(timestamp: string): string {
  return timestamp.slice(0, 'YYYY-MM-DD hh:mm:ss'.length).replace(' ', 'T')
}

export type KeyType = keyof typeof CASTABLE
