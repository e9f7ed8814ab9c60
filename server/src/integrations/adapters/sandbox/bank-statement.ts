/**
 * The lines of the sandbox bank's statements. Each line is written together with the change it
 * reports, delivered after the commit, and delivered again until the service has accepted it. A
 * line's id is the bank's reference, so repeated delivery is harmless.
 */
import { sql } from 'kysely'
import { lockShared } from '../../../platform/db/locks.ts'
import { type Database, statement, type Tx, transaction } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { AccountRole, BankInbox, BankNews } from '../../ports/bank.ts'

export interface StatementLine {
  readonly kind: BankNews['kind']
  readonly instruction_id: string | null
  readonly payment_id: string | null
  readonly account: AccountRole
  /** Which way the amount moves on that account; null if it does not move. */
  readonly direction: 'OUT' | 'IN' | null
  readonly amount: bigint
  readonly value_on: Day
  readonly reason_code: string | null
  readonly raw: Record<string, unknown>
}

const BATCH = 500
export const OWN_BOOKS = { partners: '*', actor: 'bank' } as const

/**
 * Writes lines and returns their ids in the same order. They are booked today or, if the statement
 * of today is closed, on the first day of the next one.
 */
export async function writeStatement(tx: Tx, lines: readonly StatementLine[]): Promise<string[]> {
  const ids = lines.map(() => tx.newId())
  const insert = sql`
    insert into sandbox_bank_statement (id, kind, instruction_id, payment_id, account, direction,
      amount, booked_on, value_on, reason_code, raw, created_at)
    select l.id, l.kind, l.instruction_id, l.payment_id, l.account, l.direction, l.amount,
      greatest(${tx.today}::date, coalesce((select max(c.to_on) + 1 from sandbox_bank_closings c
        where c.role = l.account), ${tx.today}::date)),
      l.value_on, l.reason_code, l.raw::jsonb, ${tx.now}
    from unnest(${ids}::uuid[], ${lines.map(l => l.kind)}::text[],
      ${lines.map(l => l.instruction_id)}::uuid[], ${lines.map(l => l.payment_id)}::uuid[],
      ${lines.map(l => l.account)}::text[], ${lines.map(l => l.direction)}::text[],
      ${lines.map(l => l.amount)}::bigint[], ${lines.map(l => l.value_on)}::date[],
      ${lines.map(l => l.reason_code)}::text[], ${lines.map(l => JSON.stringify(l.raw))}::text[])
      as l (id, kind, instruction_id, payment_id, account, direction, amount, value_on, reason_code,
        raw)`
  await tx.inOrder([lockShared('sandbox_statements'), statement(insert)])
  return ids
}

export async function isOnStatement(tx: Tx, instruction_id: string): Promise<boolean> {
  const { there } = await tx.one(sql<{ there: boolean }>`
    select exists (select from sandbox_bank_statement
      where instruction_id = ${instruction_id}) as there`)
  return there
}

/** Delivers pending lines, `undelivered` first, until none is left; returns how many. */
export async function deliverNews(
  database: Database,
  inbox: BankInbox,
  undelivered: readonly BankNews[],
): Promise<number> {
  let count = 0
  for (let next = undelivered; next.length > 0; ) {
    await inbox.news(next)
    const references = next.map(news => news.bank_reference)
    count += references.length
    next = await transaction(database, OWN_BOOKS, async tx => {
      await tx.run(sql`
        update sandbox_bank_statement set told_at = ${tx.now}
        where id = any (${references}::uuid[]) and told_at is null`)
      return readUndelivered(tx)
    })
  }
  return count
}

/** The next lines to deliver, oldest first. */
export async function readUndelivered(tx: Tx): Promise<BankNews[]> {
  const lines = await tx.all(sql<Omit<BankNews, 'account_iban'> & { account: AccountRole }>`
    select id::text as bank_reference, account, kind, payment_id, amount, direction, booked_on,
      value_on, reason_code, raw
    from sandbox_bank_statement where told_at is null order by id limit ${BATCH}`)
  return lines.map(({ account, ...line }) => ({
    ...line,
    account_iban: tx.settings.bank_accounts[account].iban,
  }))
}
