/** Lists a partner's invoices, newest first. */
import type { Invoice, Query } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { matchesIdentifierOrId } from '../../companies/borrowers/index.ts'
import { likePattern, newestFirst, type Page, readPage, viewPage } from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { readWireDay } from '../../platform/kit/dates.ts'
import { isUuid } from '../../platform/kit/ids.ts'
import { FINANCES, invoiceView, selectInvoices } from './queries.ts'

type Filters = Query<'listInvoices'>

export async function listInvoices(
  tx: Tx,
  partner_id: string,
  path: string,
  query: Filters,
): Promise<Page<Invoice>> {
  const filters = sql.join(filtersOf(partner_id, query), sql` and `)
  const page = await readPage(
    tx,
    { path, page_size: query.page_size, cursor: query.cursor },
    newestFirst(sql.ref('i.id')),
    (where, key) =>
      selectInvoices(sql`i.partner_id = ${partner_id} and ${filters} and ${where}`, key),
  )
  return viewPage(page, row => invoiceView(tx, row))
}

function filtersOf(partner_id: string, query: Filters): RawBuilder<unknown>[] {
  const filters = [sql`true`]
  if (query.invoice_id) filters.push(sql`i.id = any(${query.invoice_id}::uuid[])`)
  if (query.status) filters.push(sql`i.status = any(${query.status}::text[])`)
  if (query.seller) filters.push(isParty('i.seller_id', partner_id, query.seller))
  if (query.buyer) filters.push(isParty('i.buyer_id', partner_id, query.buyer))
  if (query.query !== undefined) filters.push(mentions(query.query))
  const loans = linked(query)
  if (loans) filters.push(loans)
  return filters
}

/** Matches a party by its id, its borrower's id, or any number of the company. */
function isParty(
  column: string,
  partner_id: string,
  names: readonly string[],
): RawBuilder<unknown> {
  return sql`${sql.ref(column)} in (select c.id from counterparties c
    where c.partner_id = ${partner_id} and (${matchesIdentifierOrId('c', names)}
      or c.company_key in (select b.company_key from borrowers b
        where b.partner_id = ${partner_id} and b.id = any(${names.filter(isUuid)}::uuid[]))))`
}

/** Searches the invoice number and the parties' names and numbers. */
function mentions(words: string): RawBuilder<unknown> {
  const pattern = likePattern(words)
  return sql`(i.invoice_number ilike ${pattern} or exists (select from counterparties c
    where c.partner_id = i.partner_id and c.id in (i.seller_id, i.buyer_id)
      and (c.name ilike ${pattern} or c.identifier ilike ${pattern})))`
}

function linked(query: Filters): RawBuilder<unknown> | null {
  const {
    linked_to_loan: is,
    linked_to_loan_paid_after: from,
    linked_to_loan_paid_before: to,
  } = query
  if (is === undefined && !from && !to) return null
  const paid = [sql`true`]
  if (from) paid.push(sql`l.paid_out_on >= ${readWireDay(from)}`)
  if (to) paid.push(sql`l.paid_out_on < ${readWireDay(to)}`)
  return sql`${is === false ? sql`not` : sql``} exists (select from invoice_loans f
    join loans l on l.partner_id = f.partner_id and l.id = f.loan_id
    where f.partner_id = i.partner_id and f.invoice_id = i.id
      and ${FINANCES} and ${sql.join(paid, sql` and `)})`
}
