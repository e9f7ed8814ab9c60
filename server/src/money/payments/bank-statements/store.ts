/** The only SQL that writes the bank's statements, their entries, and the daily tie-out. */
import { bankStatementMachine, type Trigger } from '@headroom/contract'
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
 * Begins to store a statement and returns its row's id; null if it is stored already. An earlier
 * delivery that was interrupted is deleted, and can no longer continue.
 */
export async function beginStatement(
  tx: Tx,
  bank_account_id: string,
  { account_iban: _, raw, ...statement }: BankStatement,
): Promise<string | null> {
  const known = await tx.maybe(sql<StatementRow>`
    select * from bank_statements
    where bank_account_id = ${bank_account_id} and statement_id = ${statement.statement_id}
      and state <> 'REFUSED' for update`)
  if (known && known.state !== bankStatementMachine.initial) return null
  if (known) await deleteStatement(tx, known.id)
  const id = tx.newId()
  const row = {
    ...statement,
    id,
    bank_account_id,
    state: bankStatementMachine.initial,
    raw: raw as JsonObject,
    received_at: tx.now,
  }
  const inserted = await tx.run(sql`
    ${insertInto('bank_statements', [row])} on conflict do nothing`)
  if (inserted === 0) throw new ConcurrentInsertError('the statement arrives twice at once', null)
  return id
}

async function deleteStatement(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`delete from bank_entries where statement_id = ${id}`)
  await tx.run(sql`delete from bank_statements where id = ${id}`)
}

export async function insertBankEntries(
  tx: Tx,
  statement_id: string,
  entries: readonly BankEntry[],
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map(entry => ({ ...entry, statement_id, raw: entry.raw as JsonObject }))
  await tx.run(insertInto('bank_entries', rows))
}

/** Completes a statement; returns false if it was refused before, with the same content. */
export async function completeStatement(
  tx: Tx,
  id: string,
  content_hash: string,
): Promise<boolean> {
  const refused = await tx.maybe(sql`
    select from bank_statements r join bank_statements s on s.id = ${id}
      and s.bank_account_id = r.bank_account_id and s.statement_id = r.statement_id
    where r.state = 'REFUSED' and r.content_hash = ${content_hash} limit 1`)
  if (refused) {
    await deleteStatement(tx, id)
    return false
  }
  const { initial } = bankStatementMachine
  const completed = await tx.run(sql`
    update bank_statements set state = ${next(bankStatementMachine, initial, 'receive')},
      content_hash = ${content_hash},
      entries = (select count(*) from bank_entries where statement_id = ${id})
    where id = ${id} and state = ${initial}`)
  assert(completed === 1, 'a statement is stored by one delivery at a time')
  return true
}

/** The statement with that name that was not refused. */
export function findStatement(
  tx: Tx,
  bank_account_id: string,
  statement_id: string,
): Promise<StatementRow> {
  return tx.one(sql<StatementRow>`
    select * from bank_statements where bank_account_id = ${bank_account_id}
      and statement_id = ${statement_id} and state <> 'REFUSED'`)
}

/** A statement that is to be booked; undefined if that is done. Its account's lock protects it. */
export function findReceived(tx: Tx, id: string): Promise<StatementRow | undefined> {
  return tx.maybe(sql<StatementRow>`
    select * from bank_statements where id = ${id} and state = 'RECEIVED'`)
}

export async function stepStatement(
  tx: Tx,
  id: string,
  trigger: Exclude<Trigger<'bank_statement'>, 'receive'>,
  refused_for: string | null = null,
): Promise<void> {
  await tx.run(sql`
    update bank_statements set state = ${next(bankStatementMachine, 'RECEIVED', trigger)},
      refused_for = ${refused_for} where id = ${id}`)
}

/** The next entries of a statement, by place. */
export function readEntries(
  tx: Tx,
  statement_id: string,
  after: number,
  limit: number,
): Promise<Selectable<DB['bank_entries']>[]> {
  return tx.all(sql<Selectable<DB['bank_entries']>>`
    select * from bank_entries where statement_id = ${statement_id} and place > ${after}
    order by place limit ${limit}`)
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
