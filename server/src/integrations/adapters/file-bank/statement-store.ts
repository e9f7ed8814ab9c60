/** The only SQL that writes statements, their entries and the news about them. */
import { type RawBuilder, sql } from 'kysely'
import { insertInto } from '../../../platform/db/insert.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { canonicalJson } from '../../../platform/kit/crypto.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { Detail, Entry } from '../../bank-files/reading/camt.ts'
import type { BankNews } from '../../ports/bank.ts'

export type StatementKind = 'STATEMENT' | 'NOTIFICATION'

/** A statement of a file, before its entries are stored. */
export interface NewStatement {
  readonly place: number
  readonly kind: StatementKind
  readonly account: string
  readonly reference: string
  readonly opening: bigint | null
  readonly closing: bigint | null
  readonly closing_on: Day | null
  readonly sequence_number: string | null
  readonly content_hash: string
  readonly refused_for: string | null
}

/** Statements that were not read yet, oldest first. */
export async function readUnreadStatements(tx: Tx): Promise<{ id: string; name: string }[]> {
  return tx.all(sql<{ id: string; name: string }>`
    select id, name from bank_files
    where state = 'RECEIVED' and (message like 'camt.053.%' or message like 'camt.054.%')
    order by id`)
}

/** The hash of an accepted statement with this identity in another file. */
export async function findSame(
  tx: Tx,
  bank_file_id: string,
  { kind, account, reference }: NewStatement,
): Promise<string | null> {
  const found = await tx.maybe(sql<{ content_hash: string }>`
    select content_hash from file_bank_statements
    where kind = ${kind} and account = ${account} and reference = ${reference}
      and refused_for is null and bank_file_id <> ${bank_file_id}`)
  return found?.content_hash ?? null
}

/** Stores a statement of a file, unless an earlier attempt did. */
export async function insertStatement(
  tx: Tx,
  bank_file_id: string,
  statement: NewStatement,
): Promise<void> {
  const row = { id: tx.newId(), bank_file_id, ...statement }
  await tx.run(sql`
    ${insertInto('file_bank_statements', [row])} on conflict (bank_file_id, place) do nothing`)
}

/** A statement of a file whose entries are to be stored. */
export interface OpenStatement {
  readonly id: string
  readonly place: number
  readonly kind: StatementKind
}

export async function readOpen(tx: Tx, bank_file_id: string): Promise<OpenStatement[]> {
  return tx.all(sql<OpenStatement>`
    select id, place, kind from file_bank_statements
    where bank_file_id = ${bank_file_id} and refused_for is null and read_at is null`)
}

export async function markRead(tx: Tx, bank_file_id: string): Promise<void> {
  await tx.run(sql`
    update file_bank_statements set read_at = ${tx.now}
    where bank_file_id = ${bank_file_id} and refused_for is null and read_at is null`)
}

export interface NewEntry {
  readonly statement: OpenStatement
  readonly booked_on: Day
  readonly value_on: Day
  readonly entry: Entry
}

export interface NewDetail {
  readonly statement: OpenStatement
  readonly detail: Detail
}

/** Stores entries and details, except those that an earlier attempt stored. */
export async function insertBankEntries(
  tx: Tx,
  entries: readonly NewEntry[],
  details: readonly NewDetail[],
): Promise<void> {
  if (entries.length > 0) {
    const rows = entries.map(({ statement, booked_on, value_on, entry }) => ({
      statement_id: statement.id,
      // Nothing is to be decided about what only explains.
      kind: statement.kind === 'NOTIFICATION' ? 'NOTIFIED' : null,
      place: entry.place,
      booking: entry.status,
      amount: entry.amount.cents,
      sign: entry.sign,
      booked_on,
      value_on,
      bank_reference: entry.bank_reference,
      content: asJson(entry),
    }))
    await tx.run(sql`
      insert into file_bank_entries (statement_id, place, kind, booking, amount, sign, booked_on,
        value_on, bank_reference, content)
      select * from unnest(${rows.map(r => r.statement_id)}::uuid[],
        ${rows.map(r => r.place)}::int[], ${rows.map(r => r.kind)}::text[],
        ${rows.map(r => r.booking)}::text[],
        ${rows.map(r => r.amount)}::bigint[], ${rows.map(r => r.sign)}::text[],
        ${rows.map(r => r.booked_on)}::date[], ${rows.map(r => r.value_on)}::date[],
        ${rows.map(r => r.bank_reference)}::text[], ${rows.map(r => r.content)}::json[])
      on conflict do nothing`)
  }
  if (details.length > 0) {
    await tx.run(sql`
      insert into file_bank_details (statement_id, entry_place, place, amount, sign, content)
      select * from unnest(${details.map(d => d.statement.id)}::uuid[],
        ${details.map(d => d.detail.entry_place)}::int[],
        ${details.map(d => d.detail.place)}::int[],
        ${details.map(d => eurosOf(d.detail))}::bigint[],
        ${details.map(d => d.detail.sign)}::text[],
        ${details.map(({ detail }) => asJson(detail))}::json[])
      on conflict do nothing`)
  }
}

function eurosOf({ amount }: Detail): bigint | null {
  return amount?.currency === 'EUR' ? amount.cents : null
}

function asJson(content: Entry | Detail): string {
  return canonicalJson(content)
}

/** Cents are stored as texts of digits. */
function fromJson<T>(text: string): T {
  return JSON.parse(text, (key, value) =>
    key === 'cents' && value !== null ? BigInt(value) : value,
  ) as T
}

export interface StoredEntry {
  readonly statement_id: string
  readonly place: number
  readonly account: string
  /** The statement's. */
  readonly reference: string
  readonly amount: bigint
  readonly sign: Entry['sign']
  readonly value_on: Day
  readonly entry: Entry
}

type EntryRow = Omit<StoredEntry, 'entry'> & { readonly content: string }

const ENTRY = sql`e.statement_id, e.place, s.account, s.reference, e.amount, e.sign, e.value_on,
  e.content::text`

/** Locks the oldest booked entries that nothing was decided about. */
export async function lockNextEntries(tx: Tx, count: number): Promise<StoredEntry[]> {
  const rows = await tx.all(sql<EntryRow>`
    select ${ENTRY} from file_bank_entries e join file_bank_statements s on s.id = e.statement_id
    where e.kind is null and e.booking = 'BOOK' and s.read_at is not null
    order by e.statement_id, e.place limit ${count} for update of e`)
  return rows.map(({ content, ...rest }) => ({ ...rest, entry: fromJson<Entry>(content) }))
}

/** Where the details of an entry are. */
export interface DetailsOf {
  readonly statement_id: string
  readonly place: number
}

/** An entry of a notification that is about the same booking and has details. */
export async function findNotified(tx: Tx, entry: StoredEntry): Promise<DetailsOf | undefined> {
  return tx.maybe(sql<DetailsOf>`
    select n.statement_id, n.place
    from file_bank_entries n join file_bank_statements s on s.id = n.statement_id
    where s.kind = 'NOTIFICATION' and s.account = ${entry.account} and s.read_at is not null
      and n.bank_reference = ${entry.entry.bank_reference} and n.amount = ${entry.amount}
      and n.sign = ${entry.sign} and exists (select from file_bank_details d
        where d.statement_id = n.statement_id and d.entry_place = n.place)
    order by n.statement_id, n.place limit 1`)
}

export interface DetailSums {
  readonly first: Detail | null
  readonly count: number
  /** In cents, negative for a debit; details without an amount are left out. */
  readonly total: bigint
  readonly unknown: number
}

/** `sign` is the entry's, which details without their own have. */
export async function readDetailSums(
  tx: Tx,
  of: DetailsOf,
  sign: Entry['sign'],
): Promise<DetailSums> {
  const signed = sql`case coalesce(sign, ${sign}) when 'CRDT' then amount else -amount end`
  const them = sql`statement_id = ${of.statement_id} and entry_place = ${of.place}`
  const { first, ...sums } = await tx.one(sql<
    Omit<DetailSums, 'first'> & { readonly first: string | null }
  >`
    select count(*)::int as count, coalesce(sum(${signed}), 0)::bigint as total,
      (count(*) filter (where amount is null))::int as unknown,
      (select content::text from file_bank_details where ${them} order by place limit 1) as first
    from file_bank_details where ${them}`)
  return { ...sums, first: first === null ? null : fromJson<Detail>(first) }
}

export interface StoredDetail {
  readonly amount: bigint | null
  readonly detail: Detail
}

const SLICE = 500

/** The details of an entry, in slices. */
export async function* readDetails(tx: Tx, of: DetailsOf): AsyncGenerator<StoredDetail[]> {
  for (let after = 0; ; ) {
    const rows = await tx.all(sql<{ place: number; amount: bigint | null; content: string }>`
      select place, amount, content::text from file_bank_details
      where statement_id = ${of.statement_id} and entry_place = ${of.place} and place > ${after}
      order by place limit ${SLICE}`)
    if (rows.length === 0) return
    yield rows.map(({ amount, content }) => ({ amount, detail: fromJson<Detail>(content) }))
    if (rows.length < SLICE) return
    after = rows.at(-1)!.place
  }
}

/** An order in a file, as entries find it. */
export interface SentOrder {
  readonly payment_id: string
  readonly end_to_end_id: string
  readonly kind: 'SCT' | 'SDD'
  readonly amount: bigint
}

const SENT = sql`select payment_id, end_to_end_id, kind, amount from file_bank_orders
  where file_id is not null`

export async function findSentOrders(
  tx: Tx,
  end_to_end_ids: readonly string[],
): Promise<Map<string, SentOrder>> {
  if (end_to_end_ids.length === 0) return new Map()
  const orders = await tx.all(sql<SentOrder>`
    ${SENT} and end_to_end_id = any(${end_to_end_ids}::text[])`)
  return new Map(orders.map(order => [order.end_to_end_id, order]))
}

export interface SentFile {
  readonly id: string
  readonly kind: 'SCT' | 'SDD'
  /** Cents of the orders that were neither rejected nor settled. */
  readonly open: bigint
}

/** The file with one of these message ids. */
export async function findSentFile(
  tx: Tx,
  message_ids: readonly string[],
): Promise<SentFile | undefined> {
  if (message_ids.length === 0) return undefined
  return tx.maybe(sql<SentFile>`
    select f.id, min(o.kind) as kind, coalesce(sum(o.amount) filter (where ${IS_OPEN}), 0)::bigint
      as open
    from order_files f join file_bank_orders o on o.file_id = f.id
    where f.message_id = any(${message_ids}::text[]) group by f.id order by f.id limit 1`)
}

const IS_OPEN: RawBuilder<boolean> = sql`o.rejected_at is null and o.settled_at is null`

/** The open orders of a file, in slices. */
export async function* readOpenOrders(tx: Tx, file_id: string): AsyncGenerator<SentOrder[]> {
  for (let after: string | null = null; ; ) {
    const orders: SentOrder[] = await tx.all(sql<SentOrder>`
      select o.payment_id, o.end_to_end_id, o.kind, o.amount from file_bank_orders o
      where o.file_id = ${file_id} and ${IS_OPEN}
        and (${after}::uuid is null or o.payment_id > ${after}::uuid)
      order by o.payment_id limit ${SLICE}`)
    if (orders.length === 0) return
    yield orders
    after = orders.at(-1)!.payment_id
  }
}

export type EntryKind =
  | 'PAYMENTS'
  | 'TRANSFER'
  | 'TRANSFER_OWN'
  | 'CHARGE'
  | 'BANK_INTEREST'
  | 'OTHER'

export interface Decision {
  readonly kind: EntryKind
  readonly charge: bigint
  readonly remark: string | null
}

export async function markDecided(
  tx: Tx,
  decided: readonly (DetailsOf & Decision)[],
): Promise<void> {
  await tx.run(sql`
    update file_bank_entries e set kind = d.kind, charge = d.charge, remark = d.remark
    from unnest(${decided.map(d => d.statement_id)}::uuid[], ${decided.map(d => d.place)}::int[],
      ${decided.map(d => d.kind)}::text[], ${decided.map(d => d.charge)}::bigint[],
      ${decided.map(d => d.remark)}::text[]) as d (statement_id, place, kind, charge, remark)
    where e.statement_id = d.statement_id and e.place = d.place`)
}

/** Stores news, and marks the orders that it shows as settled. */
export async function insertNews(tx: Tx, news: readonly BankNews[]): Promise<void> {
  if (news.length === 0) return
  const rows = news.map(one => ({ id: tx.newId(), ...one }))
  await tx.run(sql`
    insert into file_bank_news (id, bank_reference, kind, payment_id, amount, value_on,
      reason_code, raw)
    select * from unnest(${rows.map(r => r.id)}::uuid[], ${rows.map(r => r.bank_reference)}::text[],
      ${rows.map(r => r.kind)}::text[], ${rows.map(r => r.payment_id)}::uuid[],
      ${rows.map(r => r.amount)}::bigint[], ${rows.map(r => r.value_on)}::date[],
      ${rows.map(r => r.reason_code)}::text[], ${rows.map(r => canonicalJson(r.raw))}::json[])`)
  const settled = news.flatMap(one => (one.kind === 'SETTLED' ? (one.payment_id ?? []) : []))
  if (settled.length === 0) return
  await tx.run(sql`
    update file_bank_orders set settled_at = ${tx.now}
    where payment_id = any(${settled}::uuid[]) and settled_at is null`)
}

/** News that the service was not told yet, oldest first. */
export async function readUntold(tx: Tx): Promise<BankNews[]> {
  return tx.all(sql<BankNews>`
    select bank_reference, kind, payment_id, amount, value_on, reason_code, raw
    from file_bank_news where told_at is null order by id limit ${SLICE}`)
}

export async function markTold(tx: Tx, bank_references: readonly string[]): Promise<void> {
  await tx.run(sql`
    update file_bank_news set told_at = ${tx.now}
    where bank_reference = any(${bank_references}::text[]) and told_at is null`)
}
