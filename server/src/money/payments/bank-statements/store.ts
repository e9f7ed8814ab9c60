/** The only SQL that writes the bank's statements, their entries, and the daily tie-out. */
import { bankStatementMachine, type Status, type Trigger } from '@headroom/contract'
import { type Selectable, sql } from 'kysely'
import type { BankEntry, BankStatement } from '../../../integrations/ports/bank.ts'
import { insertInto } from '../../../platform/db/insert.ts'
import type { DB, JsonObject } from '../../../platform/db/schema.ts'
import { ConcurrentInsertError, type Tx } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { next } from '../../../platform/kit/machine.ts'

export type StatementRow = Selectable<DB['bank_statements']>

/**
 * Begins to store a statement and returns its row's id. An earlier delivery that was interrupted
 * is deleted, and can no longer continue.
 */
export async function beginStatement(
  tx: Tx,
  bank_account_id: string,
  { account_iban: _, raw, ...statement }: BankStatement,
): Promise<string> {
  const { initial } = bankStatementMachine
  const interrupted = await tx.maybe(sql<StatementRow>`
    select * from bank_statements
    where bank_account_id = ${bank_account_id} and statement_id = ${statement.statement_id}
      and state = ${initial} for update`)
  if (interrupted) await deleteStatement(tx, interrupted.id)
  const id = tx.newId()
  const row = {
    ...statement,
    id,
    bank_account_id,
    state: initial,
    raw: raw as JsonObject,
    received_at: tx.now,
  }
  const inserted = await tx.run(sql`
    ${insertInto('bank_statements', [row])} on conflict do nothing`)
  if (inserted === 0) throw new ConcurrentInsertError('the statement arrives twice at once', null)
  return id
}

export async function deleteStatement(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`delete from bank_entries where statement_id = ${id}`)
  await tx.run(sql`delete from bank_statements where id = ${id}`)
}

/** Stores the next entries of a statement, as they came after the first `passed` ones. */
export async function insertBankEntries(
  tx: Tx,
  statement_id: string,
  passed: number,
  entries: readonly BankEntry[],
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map((entry, index) => ({
    ...entry,
    statement_id,
    position: passed + index + 1,
    raw: entry.raw as JsonObject,
  }))
  await tx.run(insertInto('bank_entries', rows))
}

export async function completeStatement(
  tx: Tx,
  id: string,
  content_hash: string,
  entries: number,
): Promise<void> {
  const { initial } = bankStatementMachine
  const completed = await tx.run(sql`
    update bank_statements set state = ${next(bankStatementMachine, initial, 'receive')},
      content_hash = ${content_hash}, entries = ${entries}
    where id = ${id} and state = ${initial}`)
  assert(completed === 1, 'a statement is stored by one delivery at a time')
}

/** The stored statement with that name and content. The account's lock protects it. */
export function findSame(
  tx: Tx,
  bank_account_id: string,
  statement_id: string,
  content_hash: string,
): Promise<StatementRow | undefined> {
  return tx.maybe(sql<StatementRow>`
    select * from bank_statements where bank_account_id = ${bank_account_id}
      and statement_id = ${statement_id} and content_hash = ${content_hash}`)
}

/**
 * The statement of the account that is booked next: the one whose booking has begun, else the first
 * by day, number and arrival. The account's lock protects it.
 */
export function findNext(tx: Tx, bank_account_id: string): Promise<StatementRow | undefined> {
  return tx.maybe(sql<StatementRow>`
    select * from bank_statements
    where bank_account_id = ${bank_account_id} and state in ('RECEIVED', 'BOOKING')
    order by state, to_on, sequence, id limit 1`)
}

export async function stepStatement(
  tx: Tx,
  { id, state }: Pick<StatementRow, 'id' | 'state'>,
  trigger: Exclude<Trigger<'bank_statement'>, 'receive'>,
  refused_for: string | null = null,
): Promise<void> {
  const to = next(bankStatementMachine, state as Status<'bank_statement'>, trigger)
  await tx.run(sql`
    update bank_statements set state = ${to}, refused_for = ${refused_for} where id = ${id}`)
}

/** The next entries of a statement whose news is not stored yet, as they came. */
export function readEntries(
  tx: Tx,
  { id, passed_to }: StatementRow,
  limit: number,
): Promise<Selectable<DB['bank_entries']>[]> {
  return tx.all(sql<Selectable<DB['bank_entries']>>`
    select * from bank_entries where statement_id = ${id} and position > ${passed_to}
    order by position limit ${limit}`)
}

/** Records that the news of a statement's entries up to that position is stored. */
export async function markPassed(tx: Tx, id: string, passed_to: number): Promise<void> {
  await tx.run(sql`update bank_statements set passed_to = ${passed_to} where id = ${id}`)
}

export interface TieOutRow {
  readonly day: Day
  readonly statement_id: string
  readonly closing: bigint
  readonly ledger: bigint
  readonly result: 'WAITING' | 'TIED' | 'DIFFERENT'
}

export async function writeTieOuts(
  tx: Tx,
  bank_account_id: string,
  days: readonly TieOutRow[],
): Promise<void> {
  if (days.length === 0) return
  const rows = days.map(row => ({ ...row, bank_account_id, id: tx.newId(), checked_at: tx.now }))
  await tx.run(sql`
    ${insertInto('tie_outs', rows)} on conflict (bank_account_id, day) do update
      set statement_id = excluded.statement_id, closing = excluded.closing,
        ledger = excluded.ledger, result = excluded.result, checked_at = excluded.checked_at`)
}
