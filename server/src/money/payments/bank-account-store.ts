/** The only SQL that writes the lender's bank accounts. */
import { sql } from 'kysely'
import type { ConnectionPool } from '../../platform/db/connect.ts'
import type { OwnAccount } from '../../platform/db/settings.ts'
import { ConcurrentInsertError, type Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { bankAccountId } from '../../platform/kit/ids.ts'

/** Adds accounts unless they are known, and sets what they are used for now. Others lose theirs. */
export async function openAccounts(
  pool: ConnectionPool,
  accounts: readonly (OwnAccount & { readonly roles: readonly string[] })[],
): Promise<void> {
  for (const { id, iban, roles } of accounts) {
    await pool.query(
      `insert into bank_accounts (id, iban, roles, created_at) values ($1, $2, $3, now())
       on conflict (iban) do update set roles = excluded.roles`,
      [id, iban, roles],
    )
  }
  await pool.query(
    `update bank_accounts set roles = '{}' where roles <> '{}' and id <> all($1::uuid[])`,
    [accounts.map(one => one.id)],
  )
}

export async function readIban(tx: Tx, id: string): Promise<string> {
  const { iban } = await tx.one(sql<{ iban: string }>`
    select iban from bank_accounts where id = ${id}`)
  return iban
}

/**
 * The id of the account with an IBAN in canonical form. The bank may report on an account that the
 * settings do not name, and a lender's new accounts may come into use while a process runs. Such an
 * account is added without a role.
 */
export async function accountIdOf(tx: Tx, iban: string): Promise<string> {
  const known = await tx.maybe(sql<{ id: string }>`
    select id from bank_accounts where iban = ${iban}`)
  if (known) return known.id
  const [opened] = await tx.all(sql<{ id: string }>`
    insert into bank_accounts (id, iban, roles, created_at)
    values (${bankAccountId(iban)}, ${iban}, '{}', ${tx.now}) on conflict do nothing returning id`)
  if (!opened) throw new ConcurrentInsertError('the bank account was opened', null)
  return opened.id
}

export interface LockedAccount {
  readonly iban: string
  /** The day whose closing balance the books began with, if any. */
  readonly opened_on: Day | null
}

/**
 * Locks an account's statements and days, because each is judged by the others. Payments of the
 * account do not wait for the lock.
 */
export function lockAccount(tx: Tx, id: string): Promise<LockedAccount> {
  return tx.one(sql<LockedAccount>`
    select iban, opened_on from bank_accounts where id = ${id} for no key update`)
}

/** Locks an account alone: news of it that is being stored is complete, and later news waits. */
export async function lockAccountAlone(tx: Tx, id: string): Promise<void> {
  await tx.one(sql`select id from bank_accounts where id = ${id} for update`)
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
