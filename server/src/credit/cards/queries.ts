/** Reads cards and their entries and builds their API views. */
import { type Card, type CardConstraints, type CardEntry, PAGE_SIZE_MAX } from '@headroom/contract'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Call } from '../../context.ts'
import type { Caller } from '../../platform/access/index.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import { viewRows } from '../../platform/db/page.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { ResourceView } from '../../platform/events/record.ts'
import { maxAmount, toWire } from '../../platform/kit/money.ts'
import { problem } from '../../platform/kit/problem.ts'
import { lineUsage } from './rules.ts'
import type { EntryRow } from './store.ts'

export type CardRow = Selectable<DB['cards']>

type CardRead = CardRow & {
  borrower_name: string
  pool_amount: bigint
  outstanding: bigint
  reserved: bigint
  card_spent: bigint
  card_pending: bigint
  closed_at: Date | null
  /** Outstanding principal of the loans of earlier cycles, in cents. */
  financed: bigint
}

/** Issued cards, newest first; `where` is a condition on `c`. */
function selectCards(where: RawBuilder<unknown>): RawBuilder<CardRead> {
  return sql<CardRead>`
    select c.*, b.name as borrower_name, l.pool_amount, l.outstanding, l.reserved, l.card_spent,
      l.card_pending, l.closed_at,
      (select coalesce(sum(n.principal_outstanding), 0)::bigint from loans n
        where n.partner_id = c.partner_id and n.borrower_id = c.borrower_id
          and n.credit_line_id = l.id
          and n.loan_type = 'CREDIT_CARD_FINANCING') as financed
    from cards c join credit_lines l on l.partner_id = c.partner_id and l.id = c.credit_line_id
    join borrowers b on b.partner_id = c.partner_id and b.id = c.borrower_id
    where c.issued_at is not null and ${where} order by c.id desc`
}

/** Restricts cards to the caller's partner, and to the borrower if the caller is one. */
function ownedBy(caller: Caller): RawBuilder<unknown> {
  return sql`c.partner_id = ${caller.partner_id} and ${ofBorrower(caller)}`
}

function ofBorrower({ borrower_id }: Caller): RawBuilder<unknown> {
  return borrower_id === null ? sql`true` : sql`c.borrower_id = ${borrower_id}`
}

export async function listCards(
  tx: Tx,
  caller: Caller,
  { borrower_id, page_size, before }: Call<'listCards'>['query'],
): Promise<Card[]> {
  const of = borrower_id === undefined ? sql`true` : sql`c.borrower_id = ${borrower_id}`
  const older = before === undefined ? sql`true` : sql`c.id < ${before}`
  const all = selectCards(sql`${ownedBy(caller)} and ${of} and ${older}`)
  if (page_size === undefined) return viewRows(await tx.all(all), cardView)
  // The limit is constant, so that all page sizes share one statement whose plan stops early.
  const rows = await tx.all(sql<CardRead>`${all} limit ${sql.lit(PAGE_SIZE_MAX)}`)
  return viewRows(rows.slice(0, page_size), cardView)
}

/**
 * Returns a card. Throws `resource_unknown` if it does not exist, is not issued or is not the
 * caller's.
 */
export async function readCard(tx: Tx, caller: Caller, card_id: string): Promise<Card> {
  const row = await tx.maybe(selectCards(sql`c.id = ${card_id} and ${ownedBy(caller)}`))
  if (!row) throw problem('resource_unknown')
  return cardView(row)
}

/** The row of a card; throws like `readCard`. */
export async function findCard(tx: Tx, caller: Caller, card_id: string): Promise<CardRow> {
  const row = await tx.maybe(sql<CardRow>`
    select c.* from cards c
    where c.partner_id = ${caller.partner_id} and c.id = ${card_id} and c.issued_at is not null
      and ${ofBorrower(caller)}`)
  if (!row) throw problem('resource_unknown')
  return row
}

function cardView(row: CardRead): Card {
  const used = lineUsage(row.card_spent) + row.financed
  const left = row.pool_amount - row.outstanding - (row.reserved - row.card_pending)
  const available = row.closed_at || left < 0n ? 0n : left
  const after = available - row.card_pending
  return {
    id: row.id,
    borrower_id: row.borrower_id,
    borrower_name: row.borrower_name,
    status: row.status,
    card_type: row.card_type,
    brand: row.brand ?? '',
    last4: row.last4 ?? '',
    currency: row.currency,
    first_name: row.first_name,
    last_name: row.last_name,
    constraints: row.constraints as CardConstraints,
    balance: {
      available: toWire(available),
      pending: toWire(row.card_pending),
      used: toWire(used),
      currency: row.currency,
      available_including_pending: toWire(maxAmount(after, 0n)),
    },
    provider_account_id: row.provider_account_id,
    provider_card_id: row.provider_card_id,
    created_at: row.created_at.toISOString(),
  }
}

export async function cardViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, ResourceView>> {
  const rows = await tx.all(selectCards(haveKeys(keys, 'c')))
  return new Map(rows.map(r => [r.id, { partner_id: r.partner_id, data: cardView(r) }]))
}

/** Entries of a card created in [`from`, `until`), newest first. */
export async function listEntries(
  tx: Tx,
  card: CardRow,
  from: Date | null,
  until: Date | null,
): Promise<EntryRow[]> {
  return tx.all(sql<EntryRow>`
    select * from card_entries
    where card_id = ${card.id} and partner_id = ${card.partner_id}
      and (${from}::timestamptz is null or created_at >= ${from})
      and (${until}::timestamptz is null or created_at < ${until})
    order by created_at desc, id desc`)
}

export function entryView(row: EntryRow): CardEntry {
  return {
    id: row.id,
    card_id: row.card_id,
    status: row.status,
    entry_type: 'transaction',
    transaction_type: row.transaction_type as CardEntry['transaction_type'],
    amount: toWire(row.amount),
    currency: row.currency,
    merchant_name: row.merchant_name,
    merchant_category: row.merchant_category,
    merchant_amount: row.merchant_amount === null ? null : toWire(row.merchant_amount),
    merchant_currency: row.merchant_currency,
    decline_reason: row.decline_reason,
    funding_obligation_id: row.loan_id,
    created: row.created_at.toISOString(),
    cleared_at: row.cleared_at?.toISOString() ?? null,
  }
}

export async function entryViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, ResourceView>> {
  const rows = await tx.all(sql<EntryRow>`
    select * from card_entries e where ${haveKeys(keys, 'e')}`)
  return new Map(rows.map(r => [r.id, { partner_id: r.partner_id, data: entryView(r) }]))
}
