/** The only SQL that writes the tables of cards (except status: db/move.ts). */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { CardStatus, CardToIssue, IssuedCard } from '../../integrations/ports/card-issuer.ts'
import { enterNames } from '../../platform/db/directory.ts'
import { insertInto } from '../../platform/db/insert.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { DB } from '../../platform/db/schema.ts'
import { queryBuilder, type Tx } from '../../platform/db/transaction.ts'
import { recordUpdate } from '../../platform/events/index.ts'
import type { Day } from '../../platform/kit/dates.ts'

export type EntryRow = Selectable<DB['card_entries']>

export async function insertCard(tx: Tx, row: Insertable<DB['cards']>): Promise<void> {
  await tx.run(insertInto('cards', [row]))
}

/** Marks the card as issued: it becomes visible and usable. */
export async function setIssued(
  tx: Tx,
  { partner_id, id }: RowKey,
  issued: IssuedCard,
): Promise<void> {
  enterNames(tx, 'card', [{ partner_id, id }], () => issued.provider_card_id)
  await tx.run(sql`
    update cards set provider_account_id = ${issued.provider_account_id},
      provider_card_id = ${issued.provider_card_id}, brand = ${issued.brand},
      last4 = ${issued.last4}, issued_at = ${tx.now}
    where partner_id = ${partner_id} and id = ${id}`)
}

/** After a refusal, frees the request's key so that the same request can order another card. */
export async function clearRequestKey(tx: Tx, { partner_id, id }: RowKey): Promise<void> {
  await tx.run(sql`update cards set request_key = null
    where partner_id = ${partner_id} and id = ${id}`)
}

export type OrderRow = Omit<Selectable<DB['card_orders']>, 'to_issue' | 'wanted_status'> & {
  to_issue: CardToIssue | null
  wanted_status: CardStatus | null
}

export async function insertOrder(tx: Tx, row: Insertable<DB['card_orders']>): Promise<void> {
  await tx.run(insertInto('card_orders', [row]))
}

/**
 * Claims the turn of a card's oldest unanswered order for up to `seconds` of real time. Undefined
 * while another process has the turn.
 */
export async function claimNextOrder(
  tx: Tx,
  { partner_id, card_id }: Pick<OrderRow, 'partner_id' | 'card_id'>,
  seconds: number,
): Promise<OrderRow | undefined> {
  return tx.maybe(sql<OrderRow>`
    update card_orders set asked_until = now() + ${seconds} * interval '1s'
    where partner_id = ${partner_id} and id = (select id from card_orders
        where partner_id = ${partner_id} and card_id = ${card_id} and answered_at is null
        order by position limit 1 for no key update)
      and answered_at is null and coalesce(asked_until < now(), true)
    returning *`)
}

export async function releaseOrder(tx: Tx, { partner_id, id }: RowKey): Promise<void> {
  await tx.run(sql`
    update card_orders set asked_until = null
    where partner_id = ${partner_id} and id = ${id} and answered_at is null`)
}

/** Stores the outcome of an order. Returns false if it already had one. */
export async function setAnswered(
  tx: Tx,
  { partner_id, id }: RowKey,
  refusal: string | null,
): Promise<boolean> {
  const changed = await tx.run(sql`
    update card_orders set answered_at = ${tx.now}, refusal = ${refusal}, to_issue = null
    where partner_id = ${partner_id} and id = ${id} and answered_at is null`)
  return changed === 1
}

export function insertEntries(tx: Tx, rows: readonly Insertable<DB['card_entries']>[]): void {
  if (rows.length === 0) return
  enterNames(tx, 'authorization', rows, row => row.authorization_ref)
  enterNames(tx, 'card_transaction', rows, row => row.transaction_ref)
  tx.send(insertInto('card_entries', rows))
}

/** The columns of an entry that the processor's news can change, except status. */
export type EntryChange = Pick<
  Updateable<DB['card_entries']>,
  | 'amount'
  | 'authorization_state'
  | 'authorized'
  | 'cleared_at'
  | 'cleared_on'
  | 'decline_reason'
  | 'held'
  | 'merchant_amount'
  | 'merchant_currency'
  | 'news_rank'
  | 'told_cleared'
  | 'transaction_ref'
>

export async function changeEntry(
  tx: Tx,
  { partner_id, id }: RowKey,
  change: EntryChange,
): Promise<void> {
  // Only an authorization's first clearing sets `transaction_ref`.
  enterNames(tx, 'card_transaction', [{ partner_id, id }], () => change.transaction_ref)
  const update = queryBuilder.updateTable('card_entries').set(change)
  await tx.run(update.where('partner_id', '=', partner_id).where('id', '=', id))
}

/**
 * Cents of an entry's returned money that have repaid loans. `loan_id` is the last loan repaid, set
 * once all of the money is used.
 */
export interface EntryRepaid extends RowKey {
  readonly repaid: bigint
  readonly loan_id: string | null
}

export async function setRepaid(tx: Tx, entries: readonly EntryRepaid[]): Promise<void> {
  if (entries.length === 0) return
  const written = await tx.all(sql<RowKey & { loan_id: string | null }>`
    update card_entries e set repaid = n.repaid, loan_id = n.loan_id
    from unnest(${entries.map(e => e.partner_id)}::uuid[], ${entries.map(e => e.id)}::uuid[],
        ${entries.map(e => e.repaid)}::bigint[], ${entries.map(e => e.loan_id)}::uuid[])
      as n (partner_id, id, repaid, loan_id)
    where e.partner_id = n.partner_id and e.id = n.id
    returning e.partner_id, e.id, e.loan_id`)
  recordAssigned(
    tx,
    written.filter(entry => entry.loan_id),
  )
}

export async function releaseEntries(tx: Tx, entries: readonly RowKey[]): Promise<void> {
  await tx.run(sql`update card_entries set held = 0 where ${haveKeys(entries, 'card_entries')}`)
}

/**
 * Assigns entries that were cleared before a day and belong to no loan to the new loans of their
 * lines.
 */
export async function assignToLoans(
  tx: Tx,
  lines: readonly {
    readonly partner_id: string
    readonly credit_line_id: string
    readonly loan_id: string
  }[],
  before: Day,
): Promise<void> {
  const assigned = await tx.all(sql<RowKey>`
    update card_entries e set loan_id = n.loan_id
    from unnest(${lines.map(l => l.partner_id)}::uuid[],
        ${lines.map(l => l.credit_line_id)}::uuid[], ${lines.map(l => l.loan_id)}::uuid[])
      as n (partner_id, credit_line_id, loan_id)
    where e.partner_id = n.partner_id and e.credit_line_id = n.credit_line_id
      and e.status = 'completed' and e.loan_id is null and e.cleared_on < ${before}
    returning e.partner_id, e.id`)
  recordAssigned(tx, assigned)
}

/** Records the update of entries whose loan was set, because their views show it. */
function recordAssigned(tx: Tx, entries: readonly RowKey[]): void {
  // Sorted, because the database returns updated rows in no particular order.
  const sorted = entries.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  for (const entry of sorted) recordUpdate(tx, 'card_entry', entry)
}

/** Stores the processor's news. Returns its id, or null if it was stored before. */
export async function insertNews(
  tx: Tx,
  news: { event_ref: string; kind: string; raw: object },
): Promise<string | null> {
  const id = tx.newId()
  const row = { id, ...news, raw: news.raw as never, received_at: tx.now }
  const inserted = await tx.run(sql`
    ${insertInto('card_news', [row])} on conflict (event_ref) do nothing`)
  return inserted === 1 ? id : null
}

export async function setWaiting(tx: Tx, card_news_id: string, ref: string): Promise<void> {
  await tx.run(sql`update card_news set waits_for = ${ref} where id = ${card_news_id}`)
}

export async function setBooked(tx: Tx, card_news_id: string): Promise<void> {
  await tx.run(sql`update card_news set booked_at = ${tx.now} where id = ${card_news_id}`)
}
