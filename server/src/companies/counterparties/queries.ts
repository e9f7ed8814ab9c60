/** Reads counterparties and builds their API views, including the unused limit. */
import type { Counterparty, Query } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import { likePattern, newestFirst, type Page, readPage, viewPage } from '../../platform/db/page.ts'
import type { ResourceView, Tx } from '../../platform/db/transaction.ts'
import { lastShown } from '../../platform/events/index.ts'
import { maxAmount, toWire } from '../../platform/kit/money.ts'
import { fullAddress, matchesIdentifier, matchesNumber } from '../borrowers/index.ts'
import type { CounterpartyRow } from './store.ts'

/** Why nothing is lent on invoices of an insolvent counterparty. */
const INSOLVENT = 'COUNTERPARTY_INSOLVENCY_PROCEDURE_EXISTS'

type ViewRow = CounterpartyRow & { used: bigint }

/**
 * Outstanding and reserved principal on invoices of counterparty `c`, in cents. A loan counts with
 * the share that finances those invoices. `except` is the id of a loan to ignore.
 */
export function limitUsed(except: string | null = null): RawBuilder<bigint> {
  return sql<bigint>`coalesce((
    select ceil(sum(share_of(l.principal_outstanding + l.reserved, f.amount, l.amount)))
    from invoices i join invoice_loans f on f.partner_id = i.partner_id and f.invoice_id = i.id
    join loans l on l.partner_id = f.partner_id and l.id = f.loan_id
    where i.partner_id = c.partner_id and (i.buyer_id = c.id or i.seller_id = c.id)
      and l.id is distinct from ${except}::uuid), 0)::bigint`
}

/** Selects counterparties `c` with the used part of their limits, and one more column. */
function select<Row extends ViewRow>(
  where: RawBuilder<unknown>,
  column: RawBuilder<unknown> = sql`null as page_key`,
): RawBuilder<Row> {
  return sql<Row>`
    select c.*, ${limitUsed()} as used, ${column}
    from counterparties c where ${where}`
}

function view(row: ViewRow): Counterparty {
  const limit = row.insolvent_since ? 0n : row.max_amount
  const left = limit - row.used
  const details = row.insolvent_since ? INSOLVENT : row.max_amount_details
  return {
    id: row.id,
    identifier: row.identifier,
    identifier_type: row.identifier_type as Counterparty['identifier_type'],
    name: row.name,
    vat_number: row.vat_number,
    address: row.address ? { ...fullAddress({}), ...row.address } : null,
    contact: row.contact ?? null,
    relation_types: row.relation_types as Counterparty['relation_types'],
    selected_for_financing: row.selected_for_financing,
    credit_limit: {
      available_amount: toWire(maxAmount(left, 0n)),
      max_amount: toWire(limit),
      max_amount_details: details as Counterparty['credit_limit']['max_amount_details'],
    },
  }
}

export async function findCounterparty(
  tx: Tx,
  partner_id: string,
  id: string,
): Promise<Counterparty | undefined> {
  const row = await tx.maybe(select(sql`c.partner_id = ${partner_id} and c.id = ${id}`))
  return row && view(row)
}

/** Views of counterparties for events. */
export async function counterpartyViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, ResourceView>> {
  const rows = await tx.all<ViewRow & Pick<ResourceView, 'last_shown'>>(
    select(haveKeys(keys, 'c'), lastShown('c', 'CounterpartyCreditLimit')),
  )
  return new Map(
    rows.map(row => {
      const { id, partner_id, last_shown } = row
      return [id, { partner_id, data: view(row), last_shown }]
    }),
  )
}

export async function listCounterparties(
  tx: Tx,
  partner_id: string,
  path: string,
  query: Query<'listCounterparties'>,
): Promise<Page<Counterparty>> {
  const filters = sql.join(filtersOf(query), sql` and `)
  const page = await readPage(
    tx,
    { path, page_size: query.page_size, cursor: query.cursor },
    newestFirst(sql.ref('c.id')),
    (where, key) => select(sql`c.partner_id = ${partner_id} and ${filters} and ${where}`, key),
  )
  return viewPage(page, view)
}

function filtersOf(query: Query<'listCounterparties'>): RawBuilder<unknown>[] {
  const filters = [sql`true`]
  const { business_name: name, identifier, identifier_type, relation_types } = query
  if (name !== undefined) {
    const pattern = likePattern(name)
    filters.push(sql`c.name ilike ${pattern}`)
  }
  if (identifier !== undefined) {
    const type = identifier_type
    filters.push(type ? matchesNumber('c', identifier, type) : matchesIdentifier('c', [identifier]))
  }
  if (identifier_type && identifier === undefined) {
    filters.push(sql`c.identifier_type = ${identifier_type}`)
  }
  if (relation_types) filters.push(sql`c.relation_types && ${relation_types}::text[]`)
  if (query.selected_for_financing !== undefined) {
    filters.push(sql`c.selected_for_financing = ${query.selected_for_financing}`)
  }
  return filters
}
