/** The only SQL that writes statements and their entries, as they came. */
import { sql } from 'kysely'
import { insertInto } from '../../../platform/db/insert.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { canonicalJson } from '../../../platform/kit/crypto.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { Detail, Entry } from '../../bank-files/reading/camt.ts'

export type StatementKind = 'STATEMENT' | 'NOTIFICATION'

/** What the service needs to know of a statement, if it is none of notifications. */
interface Figures {
  readonly sequence: number | null
  readonly from_on: Day | null
  readonly closing_on: Day | null
  readonly opening: bigint | null
  readonly closing: bigint | null
}

/** Where a page belongs. A statement that is not in pages is its first and last one. */
export interface Paging {
  /** The name of the whole statement; null if it is not in pages. */
  readonly pages_of: string | null
  readonly page: number | null
  readonly is_first_page: boolean
  readonly is_last_page: boolean
}

/** A statement of a file, before its entries are stored. */
export interface NewStatement extends Figures, Paging {
  readonly place: number
  readonly kind: StatementKind
  readonly account: string
  readonly reference: string
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

/** Stores a statement unless it is stored already, of this file or of another. */
export async function insertStatement(
  tx: Tx,
  bank_file_id: string,
  statement: NewStatement,
): Promise<void> {
  const row = { id: tx.newId(), bank_file_id, ...statement }
  await tx.run(sql`${insertInto('file_bank_statements', [row])} on conflict do nothing`)
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

/** From here on, the statements of the file count. They wait until that day at most. */
export async function markRead(tx: Tx, bank_file_id: string, waits_until: Day): Promise<void> {
  await tx.run(sql`
    update file_bank_statements set read_at = ${tx.now}, waits_until = ${waits_until}
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
      insert into file_bank_entries (statement_id, place, booking, amount, sign, booked_on,
        value_on, bank_reference, content)
      select * from unnest(${rows.map(r => r.statement_id)}::uuid[],
        ${rows.map(r => r.place)}::int[], ${rows.map(r => r.booking)}::text[],
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
