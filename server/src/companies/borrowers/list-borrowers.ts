/** Lists a partner's borrowers, newest first. */
import type { Borrower, Query } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import {
  filteredRows,
  likePattern,
  newestFirst,
  type Page,
  readPage,
  viewPage,
} from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { readWireMoment } from '../../platform/kit/dates.ts'
import { matchesIdentifier } from './company-keys.ts'
import { type BorrowerViewRow, borrowerView, selectBorrowers } from './queries.ts'

type Filters = Query<'listBorrowers'>

export async function listBorrowers(
  tx: Tx,
  partner_id: string,
  path: string,
  query: Filters,
): Promise<Page<Borrower>> {
  const filters = sql.join(filtersOf(query), sql` and `)
  const { rows } = filteredRows('borrowers', partner_id, [['status', query.status, 'text']])
  const page = await readPage(
    tx,
    { path, page_size: query.page_size, cursor: query.cursor },
    newestFirst(sql.ref('b.id')),
    (where, key, in_order) => sql<BorrowerViewRow>`${selectBorrowers(sql`, ${key}`, rows(in_order))}
      where b.partner_id = ${partner_id} and ${filters} and ${where}`,
  )
  return viewPage(page, row => borrowerView(tx.settings, row))
}

function filtersOf(query: Filters): RawBuilder<unknown>[] {
  const filters = [sql`true`]
  if (query.borrower_id) filters.push(sql`b.id = any(${query.borrower_id}::uuid[])`)
  for (const number of [query.identifier, query.borrower_identifier]) {
    if (number !== undefined) filters.push(matchesIdentifier('b', [number]))
  }
  if (query.query !== undefined) filters.push(named(query.query))
  const { from_signed_at: from, to_signed_at: to } = query
  if (from) filters.push(sql`b.signed_at >= ${readWireMoment(from)}::timestamptz`)
  const { compliance_status: kyb } = query
  if (kyb) filters.push(sql`c.status = any(${kyb}::text[])`)
  if (to) filters.push(sql`b.signed_at < ${readWireMoment(to)}::timestamptz`)
  return filters
}

/** Matches part of the name, or the start of the number with or without separators. */
function named(text: string): RawBuilder<unknown> {
  const typed = text.trim()
  const number = typed.replace(/[\s.-]/g, '').toUpperCase()
  return sql`(b.name ilike ${likePattern(typed)}
    or starts_with(upper(replace(b.identifier, ' ', '')), ${number}))`
}
