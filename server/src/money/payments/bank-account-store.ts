/** The only SQL that writes the lender's bank accounts. */
import { type RawBuilder, sql } from 'kysely'
import type { ConnectionPool } from '../../platform/db/connect.ts'
import type { OwnAccount } from '../../platform/db/settings.ts'
import { ConcurrentInsertError, queryBuilder, type Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'

/** An account's id follows from its IBAN, so that every database of a lender has the same ones. */
const idOf = (iban: string): RawBuilder<string> => sql`
  overlay(overlay(md5(${iban}) placing '8' from 13) placing '8' from 17)::uuid`

/** Adds an account unless it is known, and sets what it is used for now. */
export async function openAccount(
  pool: ConnectionPool,
  iban: string,
  roles: readonly string[],
): Promise<OwnAccount> {
  const { sql: text, parameters } = sql`
    insert into bank_accounts (id, iban, roles, created_at)
    values (${idOf(iban)}, ${iban}, ${roles}::text[], now())
    on conflict (iban) do update set roles = excluded.roles returning id, iban`.compile(
    queryBuilder,
  )
  const { rows } = await pool.query<OwnAccount>(text, [...parameters])
  return rows[0]!
}

/** Opens an account without a role, unless it is known; returns its id. */
export async function findOrOpenAccount(tx: Tx, iban: string): Promise<string> {
  const known = await tx.maybe(sql<{ id: string }>`
    select id from bank_accounts where iban = ${iban}`)
  if (known) return known.id
  const [opened] = await tx.all(sql<{ id: string }>`
    insert into bank_accounts (id, iban, roles, created_at)
    values (${idOf(iban)}, ${iban}, '{}', ${tx.now}) on conflict do nothing returning id`)
  if (!opened) throw new ConcurrentInsertError('the bank account was opened', null)
  return opened.id
}

/**
 * Locks an account's statements and days, because each is judged by the others; returns its IBAN.
 * Payments of the account do not wait for the lock.
 */
export async function lockAccount(tx: Tx, id: string): Promise<string> {
  const { iban } = await tx.one(sql<{ iban: string }>`
    select iban from bank_accounts where id = ${id} for no key update`)
  return iban
}

/** Records the balance taken over; returns false if the account has one. */
export async function setOpeningBalance(
  tx: Tx,
  id: string,
  amount: bigint,
  opened_on: Day,
): Promise<boolean> {
  const opened = await tx.run(sql`
    update bank_accounts set opening_balance = ${amount}, opened_on = ${opened_on}
    where id = ${id} and opened_on is null`)
  return opened === 1
}
