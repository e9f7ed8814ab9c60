/** The lender's bank accounts, and the cash that bank news and payments move on them. */

import { sql } from 'kysely'
import type { ConnectionPool } from '../../platform/db/connect.ts'
import type { Lender, OwnAccount, Settings } from '../../platform/db/settings.ts'
import { ConcurrentInsertError, type Tx } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import { compactIban } from '../../platform/kit/iban.ts'
import { newId } from '../../platform/kit/ids.ts'
import { type BankCash, bankCash } from '../../platform/ledger/index.ts'
import type { BankNewsRow, PaymentRow } from './types.ts'

/**
 * Returns the lender's bank accounts by role. Adds those that are new, with the roles that they
 * have now; former accounts keep their books.
 */
export async function openBankAccounts(
  pool: ConnectionPool,
  { collection_iban, funding_iban }: Lender,
): Promise<Settings['bank_accounts']> {
  const [collection, funding] = [compactIban(collection_iban), compactIban(funding_iban)]
  const open = async (iban: string) => {
    const roles = [
      ...(iban === collection ? ['COLLECTION'] : []),
      ...(iban === funding ? ['FUNDING'] : []),
    ]
    const { rows } = await pool.query<OwnAccount>(
      `insert into bank_accounts (id, iban, roles, created_at) values ($1, $2, $3, now())
       on conflict (iban) do update set roles = excluded.roles returning id, iban`,
      [newId(), iban, roles],
    )
    return rows[0]!
  }
  const first = await open(collection)
  return { COLLECTION: first, FUNDING: funding === collection ? first : await open(funding) }
}

/**
 * The id of the account with an IBAN in canonical form. An account that the bank reports on, but the
 * lender's settings do not name, is opened without a role, so that its cash is in the books.
 */
export async function accountIdOf(tx: Tx, iban: string): Promise<string> {
  const known = Object.values(tx.settings.bank_accounts).find(one => one.iban === iban)
  if (known) return known.id
  const former = await tx.maybe(sql<{ id: string }>`
    select id from bank_accounts where iban = ${iban}`)
  if (former) return former.id
  const [opened] = await tx.all(sql<{ id: string }>`
    insert into bank_accounts (id, iban, roles, created_at)
    values (${tx.newId()}, ${iban}, '{}', ${tx.now}) on conflict do nothing returning id`)
  if (!opened) throw new ConcurrentInsertError('the bank account was opened', null)
  return opened.id
}

/**
 * Locks an account's statements and days: each decides by the others. Payments of the account do not
 * wait.
 */
export async function lockAccount(tx: Tx, id: string): Promise<string> {
  const { iban } = await tx.one(sql<{ iban: string }>`
    select iban from bank_accounts where id = ${id} for no key update`)
  return iban
}

/** The account that the news moved, on the bank's booking date. */
export function cashOfNews({ bank_account_id, booked_on }: BankNewsRow): BankCash {
  return bankCash(bank_account_id, booked_on)
}

/** The cents that the news moved on our account, negative if they left it. */
export function movedBy({ direction, amount }: BankNewsRow): bigint {
  if (direction === null) return 0n
  return direction === 'IN' ? amount : -amount
}

/** The account that a settled payment moved, on the bank's booking date. */
export function cashOfPayment({ id, bank_account_id, bank_booked_on }: PaymentRow): BankCash {
  assert(bank_account_id && bank_booked_on, `payment ${id} has moved cash`)
  return bankCash(bank_account_id, bank_booked_on)
}
