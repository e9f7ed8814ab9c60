/** The only SQL that writes the file bank's orders and the files written from them. */
import { orderFileMachine, type Status, type Trigger } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { insertInto } from '../../../platform/db/insert.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { next } from '../../../platform/kit/machine.ts'
import type { AccountRole } from '../../ports/bank.ts'
import type { OrderKey } from '../../ports/bank-adapter.ts'
import type { OrderGroup } from './order-file.ts'
import type { Due } from './rules.ts'

export interface NewOrder {
  readonly payment_id: string
  readonly content: string
  readonly account: AccountRole
  readonly kind: 'SCT' | 'SDD'
  readonly scheme: OrderGroup['scheme']
  readonly sequence_type: OrderGroup['sequence_type']
  readonly creditor_identifier: string | null
  readonly mandate_reference: string | null
  readonly amount: bigint
  readonly end_to_end_id: string
  readonly execute_on: Day
  readonly hand_over_on: Day
  readonly refused_for: string | null
}

/** Stores an order unless one with its id is stored; returns whether it was new. */
export async function insertOrder(tx: Tx, order: NewOrder): Promise<boolean> {
  const inserted = await tx.run(sql`
    insert into file_bank_orders (payment_id, content, account, kind, scheme, sequence_type,
      creditor_identifier, mandate_reference, amount, end_to_end_id, execute_on, hand_over_on,
      refused_for, taken_at)
    values (${order.payment_id}, ${order.content}::json, ${order.account}, ${order.kind},
      ${order.scheme}, ${order.sequence_type}, ${order.creditor_identifier},
      ${order.mandate_reference},
      ${order.amount}, ${order.end_to_end_id}, ${order.execute_on}, ${order.hand_over_on},
      ${order.refused_for}, ${tx.now})
    on conflict (payment_id) do nothing`)
  return inserted === 1
}

export async function readTaken(
  tx: Tx,
  payment_id: string,
): Promise<{ content: string; refused_for: string | null }> {
  return tx.one(sql<{ content: string; refused_for: string | null }>`
    select content::text, refused_for from file_bank_orders where payment_id = ${payment_id}`)
}

/** Whether an order under the mandate was taken that the bank may execute. */
export async function hasDebit(tx: Tx, mandate_reference: string): Promise<boolean> {
  const { there } = await tx.one(sql<{ there: boolean }>`
    select exists (select from file_bank_orders where mandate_reference = ${mandate_reference}
      and refused_for is null and recalled_at is null and rejected_at is null) as there`)
  return there
}

/** Withdraws an order that is in no file. Returns undefined if there is no such order. */
export async function recallOrder(
  tx: Tx,
  payment_id: string,
): Promise<{ is_recalled: boolean } | undefined> {
  await tx.run(sql`
    update file_bank_orders set recalled_at = ${tx.now}
    where payment_id = ${payment_id} and file_id is null and recalled_at is null
      and refused_for is null`)
  return tx.maybe(sql<{ is_recalled: boolean }>`
    select recalled_at is not null as is_recalled from file_bank_orders
    where payment_id = ${payment_id}`)
}

const waiting = sql`o.file_id is null and o.recalled_at is null and o.refused_for is null`

/** Joins what is due as `d` to the orders `o`. */
function isDue(due: readonly Due[]): RawBuilder<unknown> {
  return sql`unnest(${due.map(d => d.kind)}::text[], ${due.map(d => d.until)}::date[],
      ${due.map(d => d.first_on)}::date[]) as d (kind, until, first_on)
    on d.kind = coalesce(o.scheme, 'SCT') and o.hand_over_on <= d.until`
}

/** The orders that are due, with their partners. */
export async function readDue(tx: Tx, due: readonly Due[]): Promise<OrderKey[]> {
  if (due.length === 0) return []
  return tx.all(sql<OrderKey>`
    select o.payment_id, (o.content ->> 'partner_id')::uuid as partner_id
    from file_bank_orders o join ${isDue(due)} where ${waiting}`)
}

export interface DueOrder extends OrderGroup {
  readonly payment_id: string
  readonly content: string
  readonly end_to_end_id: string
  readonly amount: bigint
}

/**
 * Locks the due orders of one group among these, at most `orders_max`, beginning with the group
 * that has waited longest. A recall that runs meanwhile wins, or waits and comes too late.
 */
export async function lockNextGroup(
  tx: Tx,
  due: readonly Due[],
  payment_ids: readonly string[],
  orders_max: number,
): Promise<DueOrder[]> {
  const day = sql`greatest(o.execute_on, d.first_on)`
  const one_of_these = sql`${waiting} and o.payment_id = any(${payment_ids}::uuid[])`
  return tx.all(sql<DueOrder>`
    with first as (
      select o.account, o.kind, o.scheme, o.sequence_type, o.creditor_identifier,
        ${day} as execute_on
      from file_bank_orders o join ${isDue(due)}
      where ${one_of_these} order by o.hand_over_on, o.payment_id limit 1)
    select o.payment_id, o.content::text, o.end_to_end_id, o.amount, f.account, f.kind,
      f.scheme, f.sequence_type, f.creditor_identifier, f.execute_on
    from file_bank_orders o join ${isDue(due)} join first f on o.kind = f.kind
      and o.account = f.account
      and o.scheme is not distinct from f.scheme
      and o.sequence_type is not distinct from f.sequence_type
      and o.creditor_identifier is not distinct from f.creditor_identifier
      and ${day} = f.execute_on
    where ${one_of_these}
    order by o.payment_id limit ${orders_max} for update of o`)
}

/** Refuses orders that are in no file; the service hears of it like of the bank's rejections. */
export async function refuseOrders(
  tx: Tx,
  refused: readonly { readonly payment_id: string; readonly reason_code: string }[],
): Promise<void> {
  await tx.run(sql`
    update file_bank_orders o set refused_for = r.reason_code, rejected_for = r.reason_code,
      rejected_at = ${tx.now}
    from unnest(${refused.map(r => r.payment_id)}::uuid[],
      ${refused.map(r => r.reason_code)}::text[]) as r (payment_id, reason_code)
    where o.payment_id = r.payment_id and o.file_id is null and o.recalled_at is null`)
}

export interface NewFile {
  readonly id: string
  readonly name: string
  readonly message_id: string
  readonly bytes: Uint8Array
  readonly sha256: string
  readonly total: bigint
  readonly execute_on: Day
  readonly payment_ids: readonly string[]
}

/** Stores a file together with the orders that are in it. */
export async function insertFile(tx: Tx, file: NewFile): Promise<void> {
  await tx.run(sql`
    insert into order_files (id, name, message_id, bytes, sha256, orders, total, execute_on, state,
      written_at)
    values (${file.id}, ${file.name}, ${file.message_id}, ${Buffer.from(file.bytes)},
      ${file.sha256}, ${file.payment_ids.length}, ${file.total}, ${file.execute_on},
      ${orderFileMachine.initial}, ${tx.now})`)
  await tx.run(sql`
    update file_bank_orders set file_id = ${file.id}
    where payment_id = any(${file.payment_ids}::uuid[])`)
}

export interface FileState {
  readonly id: string
  readonly message_id: string
  readonly state: Status<'order_file'>
  /** How often the bank may have got it. */
  readonly deliveries: number
}

/**
 * Files whose delivery is not confirmed, oldest first. A file of which a statement shows an order
 * has arrived.
 */
export async function readUndelivered(tx: Tx): Promise<{ id: string; name: string }[]> {
  return tx.all(sql<{ id: string; name: string }>`
    select f.id, f.name from order_files f where f.state in ('WRITTEN', 'UNKNOWN')
      and not exists (select from file_bank_orders o
        where o.file_id = f.id and o.settled_in is not null)
    order by f.id`)
}

export async function readBytes(tx: Tx, id: string): Promise<Buffer> {
  const { bytes } = await tx.one(sql<{ bytes: Buffer }>`
    select bytes from order_files where id = ${id}`)
  return bytes
}

export async function lockFile(tx: Tx, id: string): Promise<FileState> {
  return tx.one(sql<FileState>`
    select id, message_id, state, deliveries from order_files where id = ${id} for update`)
}

/** Counts a delivery before it begins, or takes it back if the bank's side has refused it. */
export async function countDelivery(tx: Tx, id: string, change: 1 | -1): Promise<void> {
  await tx.run(sql`update order_files set deliveries = deliveries + ${change} where id = ${id}`)
}

/** Takes a step of the machine; does nothing if a locked file cannot take it. */
export async function stepFile(
  tx: Tx,
  { id, state: from }: FileState,
  trigger: Trigger<'order_file'>,
): Promise<void> {
  const to = next(orderFileMachine, from, trigger)
  if (to === null) return
  await tx.run(sql`
    update order_files set state = ${to}, delivered_at = coalesce(delivered_at,
      case when ${to} <> 'UNKNOWN' then ${tx.now}::timestamptz end)
    where id = ${id}`)
}

/** The file with one of these message ids, or with one of these orders. */
export async function findFiles(
  tx: Tx,
  message_id: string | null,
  end_to_end_ids: readonly string[],
): Promise<{ id: string; is_named: boolean }[]> {
  const named = await tx.all(sql<{ id: string; is_named: boolean }>`
    select id, true as is_named from order_files where message_id = ${message_id}`)
  if (named.length > 0) return named
  return tx.all(sql<{ id: string; is_named: boolean }>`
    select distinct file_id as id, false as is_named from file_bank_orders
    where end_to_end_id = any(${end_to_end_ids}::text[]) and file_id is not null order by file_id`)
}

export interface FiledOrder {
  readonly payment_id: string
  readonly end_to_end_id: string
  readonly amount: bigint
  readonly answer: string | null
  readonly is_rejected: boolean
  /** Whether a statement shows it as executed. */
  readonly is_settled: boolean
}

export async function readFiledOrders(tx: Tx, file_id: string): Promise<FiledOrder[]> {
  return tx.all(sql<FiledOrder>`
    select payment_id, end_to_end_id, amount, answer, rejected_at is not null as is_rejected,
      settled_in is not null as is_settled
    from file_bank_orders where file_id = ${file_id} order by payment_id`)
}

export interface OrderChange {
  readonly payment_id: string
  readonly answer: string | null
  readonly payee_check: string | null
  readonly rejected_for: string | null
}

/** Records what the bank reported of orders. A null leaves what was reported before. */
export async function changeOrders(tx: Tx, changes: readonly OrderChange[]): Promise<void> {
  await tx.run(sql`
    update file_bank_orders o set answer = coalesce(c.answer, o.answer),
      payee_check = coalesce(c.payee_check, o.payee_check),
      rejected_for = coalesce(o.rejected_for, c.rejected_for),
      rejected_at = coalesce(o.rejected_at,
        case when c.rejected_for is not null then ${tx.now}::timestamptz end)
    from unnest(${changes.map(c => c.payment_id)}::uuid[], ${changes.map(c => c.answer)}::text[],
      ${changes.map(c => c.payee_check)}::text[], ${changes.map(c => c.rejected_for)}::text[])
      as c (payment_id, answer, payee_check, rejected_for)
    where o.payment_id = c.payment_id`)
}

export interface AnswerRow {
  readonly bank_file_id: string
  readonly place: number
  readonly level: 'FILE' | 'PAYMENT' | 'TRANSACTION'
  readonly code: string | null
  readonly reason_code: string | null
  readonly reason_text: string | null
  readonly order_file_id: string | null
  readonly payment_id: string | null
  readonly unfit_because: string | null
}

export async function insertAnswers(tx: Tx, rows: readonly AnswerRow[]): Promise<void> {
  if (rows.length > 0) await tx.run(insertInto('order_answers', rows))
}

export interface Rejection {
  readonly payment_id: string
  readonly account: AccountRole
  readonly amount: bigint
  readonly rejected_at: Date
  readonly rejected_for: string
  readonly end_to_end_id: string
  /** Null if the order was refused before it came into a file. */
  readonly message_id: string | null
}

const BATCH = 500

/** Rejections that were not reported to the service yet. */
export async function readUnreported(tx: Tx): Promise<Rejection[]> {
  return tx.all(sql<Rejection>`
    select o.payment_id, o.account, o.amount, o.rejected_at, o.rejected_for, o.end_to_end_id,
      f.message_id
    from file_bank_orders o left join order_files f on f.id = o.file_id
    where o.rejected_at is not null and o.reported_at is null
    order by o.payment_id limit ${BATCH}`)
}

export async function markReported(tx: Tx, payment_ids: readonly string[]): Promise<void> {
  await tx.run(sql`
    update file_bank_orders set reported_at = ${tx.now}
    where payment_id = any(${payment_ids}::uuid[]) and reported_at is null`)
}
