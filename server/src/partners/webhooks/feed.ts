/** The event feed, in order of position, so that a client that keeps reading misses no event. */
import type { WebhookEvent } from '@headroom/contract'
import { sql } from 'kysely'
import { type Page, type PageRequest, rowsOfPage } from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { isUuid } from '../../platform/kit/ids.ts'
import { invalid } from '../../platform/kit/problem.ts'

interface Row {
  id: string
  type: WebhookEvent['type']
  at: Date
  data: unknown
}

/** A cursor is an event id and means the events after it; with this prefix, those before it. */
const BEFORE = 'before-'
const LAST = 'last'

/**
 * One page of a partner's events. The cursor is an event id, so at the end (`next_page` is null) a
 * client can continue later from the last event it read. Events get their position after the
 * commit, so none can appear behind a cursor.
 */
export async function readFeed(
  tx: Tx,
  partner_id: string,
  types: readonly string[] | undefined,
  request: PageRequest,
): Promise<Page<WebhookEvent>> {
  const back = request.cursor === LAST || (request.cursor?.startsWith(BEFORE) ?? false)
  const start = await positionOf(tx, partner_id, request.cursor)
  const rows = await readRows(tx, partner_id, types, { start, back, limit: request.page_size + 1 })
  const shown = rows.slice(0, await rowsOfPage(rows, request.page_size))
  const more = rows.length > shown.length
  if (back) shown.reverse()
  const hasNext = back ? start !== null : more
  const hasPrevious = back ? more : start !== null
  const [first, last] = [shown[0], shown.at(-1)]
  return {
    data: shown.map(({ id, type, at, data }) => ({ id, type, timestamp: at.toISOString(), data })),
    count: shown.length,
    page_size: request.page_size,
    next_page: last && hasNext ? address(request.path, last.id) : null,
    previous_page: first && hasPrevious ? address(request.path, BEFORE + first.id) : null,
    total: null,
  }
}

interface FeedPage {
  start: bigint | null
  back: boolean
  limit: number
}

function readRows(
  tx: Tx,
  partner_id: string,
  types: readonly string[] | undefined,
  { start, back, limit }: FeedPage,
): Promise<Row[]> {
  const after = start === null ? sql`true` : sql`position ${sql.raw(back ? '<' : '>')} ${start}`
  const order = sql`order by position ${sql.raw(back ? 'desc' : 'asc')} limit ${limit}`
  const placed = sql`select event_id, position from event_positions
    where partner_id = ${partner_id} and ${after}`
  // Walks the index once per type, so that a rare type is found fast among millions.
  const page = types
    ? sql`select p.* from unnest(${[...new Set(types)]}::text[]) as wanted (type)
        cross join lateral (${placed} and event_positions.type = wanted.type ${order}) p
        ${order}`
    : sql`${placed} ${order}`
  return tx.all(sql<Row>`
    select e.id, e.type, e.at, e.data from (${page}) p
    join told_events e on e.partner_id = ${partner_id} and e.id = p.event_id
    ${order}`)
}

async function positionOf(
  tx: Tx,
  partner_id: string,
  cursor: string | undefined,
): Promise<bigint | null> {
  if (cursor === undefined || cursor === LAST) return null
  const id = cursor.startsWith(BEFORE) ? cursor.slice(BEFORE.length) : cursor
  const row = isUuid(id)
    ? await tx.maybe(sql<{ position: bigint }>`select position from event_positions
        where event_id = ${id} and partner_id = ${partner_id}`)
    : undefined
  if (!row) throw invalid({ name: 'cursor', reason: 'is not the id of an event of this feed' })
  return row.position
}

function address(path: string, cursor: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`
}
