/** The only SQL that writes what the entries of statements moved. */
import { type RawBuilder, sql } from 'kysely'
import { type Database, type Tx, transaction } from '../../../platform/db/transaction.ts'
import { canonicalJson } from '../../../platform/kit/crypto.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { Detail, Entry } from '../../bank-files/reading/camt.ts'
import type { BankEntry } from '../../ports/bank.ts'
import { OWN_TABLES } from './received-store.ts'
import type { Told } from './statement-news.ts'

/** A statement whose entries are being decided. */
export interface StatementRow {
  readonly id: string
  readonly account: string
  readonly reference: string
  readonly pages_of: string | null
  readonly page: number | null
  readonly is_first_page: boolean
  readonly is_last_page: boolean
  /** These are there, unless it is a page that does not need them. */
  readonly sequence: number | null
  readonly from_on: Day | null
  readonly closing_on: Day | null
  readonly opening: bigint | null
  readonly closing: bigint | null
  readonly entries_decided: number
  readonly movements: number
  readonly waits_until: Day
}

const COMPLETE = sql`kind = 'STATEMENT' and read_at is not null and told_at is null`
const IN_TURN = sql`order by closing_on, sequence, id`

/** Statements to decide: earlier ones first, whatever the order of their files. */
export async function readUndecided(tx: Tx): Promise<{ id: string }[]> {
  return tx.all(sql<{ id: string }>`
    select id from file_bank_statements where ${COMPLETE} and decided_at is null
      and (not is_waiting or waits_until <= ${tx.today}) ${IN_TURN}`)
}

/** Decided statements, or pages of some, that the service does not have yet. */
export async function readUntold(tx: Tx): Promise<StatementRow[]> {
  return tx.all(sql<StatementRow>`
    select * from file_bank_statements where ${COMPLETE} and decided_at is not null ${IN_TURN}`)
}

export async function lockStatement(tx: Tx, id: string): Promise<StatementRow> {
  return tx.one(sql<StatementRow>`select * from file_bank_statements where id = ${id} for update`)
}

/** Forgets what was decided about statements that wait, because what explains them may be there. */
export async function reopenWaiting(tx: Tx): Promise<void> {
  const waiting = await tx.all(sql<{ id: string }>`
    select id from file_bank_statements where is_waiting and decided_at is null for update`)
  if (waiting.length === 0) return
  const these = sql`any(${waiting.map(one => one.id)}::uuid[])`
  await tx.run(sql`delete from file_bank_movements where statement_id = ${these}`)
  await tx.run(sql`
    update file_bank_orders set settled_in = null where settled_in = ${these}`)
  await tx.run(sql`
    update file_bank_entries set explains_statement_id = null, explains_place = null
    where explains_statement_id = ${these}`)
  await tx.run(sql`
    update file_bank_statements set is_waiting = false, entries_decided = 0, movements = 0
    where id = ${these}`)
}

/** Whether details or a settlement may still come, before the account's next statement. */
export async function lacksOthers(tx: Tx, { id, account, closing_on }: StatementRow) {
  const { lacks } = await tx.one(sql<{ lacks: boolean }>`
    select not exists (select from file_bank_statements l where l.kind = 'STATEMENT'
        and l.account = ${account} and l.closing_on > ${closing_on} and l.read_at is not null)
      and exists (select from file_bank_movements m
        left join file_bank_orders o on o.payment_id = m.payment_id
        where m.statement_id = ${id}
          and (m.kind in ('RETURNED', 'REFUNDED', 'REVERSED') and o.settled_in is null
            or m.lacks_details and exists (select from file_bank_statements n
              where n.kind = 'NOTIFICATION' and n.account = ${account}))) as lacks`)
  return lacks
}

export async function markProgress(
  tx: Tx,
  { id, entries_decided, movements }: StatementRow,
): Promise<void> {
  await tx.run(sql`
    update file_bank_statements set entries_decided = ${entries_decided}, movements = ${movements}
    where id = ${id}`)
}

export async function markDecided(tx: Tx, id: string, is_waiting: boolean): Promise<void> {
  const decided_at = is_waiting ? null : tx.now
  await tx.run(sql`
    update file_bank_statements set is_waiting = ${is_waiting}, decided_at = ${decided_at}
    where id = ${id}`)
}

export async function markTold(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    update file_bank_statements set told_at = ${tx.now} where id = any(${ids}::uuid[])`)
}

/** Cents are stored as texts of digits. */
function fromJson<T>(text: string): T {
  return JSON.parse(text, (key, value) =>
    key === 'cents' && value !== null ? BigInt(value) : value,
  ) as T
}

export interface StoredEntry extends DetailsOf {
  readonly account: string
  /** The statement's. */
  readonly reference: string
  readonly amount: bigint
  readonly sign: Entry['sign']
  readonly booked_on: Day
  readonly value_on: Day
  readonly entry: Entry
}

/** The next entries of a statement. Only booked ones move money. */
export async function readNextEntries(
  tx: Tx,
  { id, account, reference, entries_decided }: StatementRow,
  count: number,
): Promise<StoredEntry[]> {
  const rows = await tx.all(sql<Omit<StoredEntry, 'entry'> & { readonly content: string }>`
    select statement_id, place, amount, sign, booked_on, value_on, content::text
    from file_bank_entries
    where statement_id = ${id} and booking = 'BOOK' and place > ${entries_decided}
    order by place limit ${count}`)
  return rows.map(({ content, ...rest }) => {
    return { ...rest, account, reference, entry: fromJson<Entry>(content) }
  })
}

/** Where the details of an entry are. */
export interface DetailsOf {
  readonly statement_id: string
  readonly place: number
}

/**
 * The entry with details of a notification about the same booking, which from here on explains
 * this entry only. Several that fit are none, because they may be about other bookings.
 */
export async function takeNotified(tx: Tx, entry: StoredEntry): Promise<DetailsOf | undefined> {
  const { statement_id, place, account, amount, sign, booked_on, value_on } = entry
  const found = await tx.all(sql<DetailsOf>`
    select n.statement_id, n.place
    from file_bank_entries n join file_bank_statements s on s.id = n.statement_id
    where s.kind = 'NOTIFICATION' and s.account = ${account} and s.read_at is not null
      and n.bank_reference = ${entry.entry.bank_reference} and n.amount = ${amount}
      and n.sign = ${sign} and n.booking = 'BOOK' and n.booked_on = ${booked_on}
      and n.value_on = ${value_on} and n.explains_statement_id is null
      and exists (select from file_bank_details d
        where d.statement_id = n.statement_id and d.entry_place = n.place)
    limit 2`)
  const [one] = found
  if (!one || found.length > 1) return undefined
  await tx.run(sql`
    update file_bank_entries set explains_statement_id = ${statement_id}, explains_place = ${place}
    where statement_id = ${one.statement_id} and place = ${one.place}`)
  return one
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
  /** As written into the file, whose message id it has. */
  readonly mandate_reference: string | null
  readonly message_id: string
}

const SENT = sql`select o.payment_id, o.end_to_end_id, o.kind, o.amount, o.mandate_reference,
    f.message_id
  from file_bank_orders o join order_files f on f.id = o.file_id`

export async function findSentOrders(
  tx: Tx,
  end_to_end_ids: readonly string[],
): Promise<Map<string, SentOrder>> {
  if (end_to_end_ids.length === 0) return new Map()
  const orders = await tx.all(sql<SentOrder>`
    ${SENT} where o.end_to_end_id = any(${end_to_end_ids}::text[])`)
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
  of: StoredEntry,
): Promise<SentFile | undefined> {
  if (message_ids.length === 0) return undefined
  return tx.maybe(sql<SentFile>`
    select f.id, min(o.kind) as kind,
      coalesce(sum(o.amount) filter (where ${isOpen(of)}), 0)::bigint as open
    from order_files f join file_bank_orders o on o.file_id = f.id
    where f.message_id = any(${message_ids}::text[]) group by f.id order by f.id limit 1`)
}

/**
 * Whether no other statement has settled the order. A statement that was refused may come again,
 * corrected, under its name.
 */
function isOpen({ account, reference }: StoredEntry): RawBuilder<boolean> {
  return sql`(o.rejected_at is null and (o.settled_in is null or exists (
    select from file_bank_statements s where s.id = o.settled_in
      and s.account = ${account} and s.reference = ${reference})))`
}

/** The open orders of a file, in slices. */
export async function* readOpenOrders(
  tx: Tx,
  file_id: string,
  of: StoredEntry,
): AsyncGenerator<SentOrder[]> {
  for (let after: string | null = null; ; ) {
    const orders: SentOrder[] = await tx.all(sql<SentOrder>`
      ${SENT} where o.file_id = ${file_id} and ${isOpen(of)}
        and (${after}::uuid is null or o.payment_id > ${after}::uuid)
      order by o.payment_id limit ${SLICE}`)
    if (orders.length === 0) return
    yield orders
    after = orders.at(-1)!.payment_id
  }
}

/**
 * Stores what entries moved, after `last` movements of the statement, and marks the orders that it
 * shows as settled. Another amount or direction settles nothing.
 */
export async function insertMovements(
  tx: Tx,
  statement_id: string,
  last: number,
  told: readonly Told[],
): Promise<void> {
  if (told.length === 0) return
  const rows = told.map((one, index) => ({ ...one, place: last + index + 1 }))
  await tx.run(sql`
    insert into file_bank_movements (statement_id, place, bank_reference, kind, payment_id, amount,
      direction, booked_on, value_on, reason_code, raw, lacks_details)
    select ${statement_id}::uuid, * from unnest(${rows.map(r => r.place)}::int[],
      ${rows.map(r => r.bank_reference)}::text[], ${rows.map(r => r.kind)}::text[],
      ${rows.map(r => r.payment_id)}::uuid[], ${rows.map(r => r.amount)}::bigint[],
      ${rows.map(r => r.direction)}::text[], ${rows.map(r => r.booked_on)}::date[],
      ${rows.map(r => r.value_on)}::date[], ${rows.map(r => r.reason_code)}::text[],
      ${rows.map(r => canonicalJson(r.raw))}::json[],
      ${rows.map(r => r.lacks_details)}::boolean[])`)
  const settled = told.filter(one => one.kind === 'SETTLED')
  if (settled.length === 0) return
  await tx.run(sql`
    update file_bank_orders o set settled_in = ${statement_id}
    from unnest(${settled.map(one => one.payment_id)}::uuid[],
      ${settled.map(one => one.amount)}::bigint[], ${settled.map(one => one.direction)}::text[])
      as s (payment_id, amount, direction)
    where o.payment_id = s.payment_id and o.amount = s.amount
      and s.direction = case o.kind when 'SCT' then 'OUT' else 'IN' end
      and o.settled_in is null`)
}

/** The movements of a statement as the service gets them, in slices. */
export async function* readMovements(
  database: Database,
  statement_id: string,
): AsyncGenerator<BankEntry[]> {
  for (let after = 0; ; ) {
    const from = after
    const rows = await transaction(database, OWN_TABLES, tx =>
      tx.all(sql<BankEntry>`
        select place, bank_reference, kind, payment_id, amount, direction, booked_on, value_on,
          reason_code, raw
        from file_bank_movements where statement_id = ${statement_id} and place > ${from}
        order by place limit ${SLICE}`),
    )
    if (rows.length > 0) yield rows
    if (rows.length < SLICE) return
    after = rows.at(-1)!.place
  }
}
