/** The lender's bank accounts, and the cash that bank news and payments move on them. */

import type { ConnectionPool } from '../../platform/db/connect.ts'
import type { Settings } from '../../platform/db/settings.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import { type BankCash, bankCash } from '../../platform/ledger/index.ts'
import { findOrOpenAccount, openAccount } from './bank-account-store.ts'
import type { BankNewsRow, PaymentRow } from './types.ts'

/** Adds the lender's accounts that are new, with the roles that they have now. */
export async function openBankAccounts(
  pool: ConnectionPool,
  { COLLECTION, FUNDING }: Settings['bank_accounts'],
): Promise<void> {
  if (COLLECTION.iban === FUNDING.iban) {
    return openAccount(pool, COLLECTION, ['COLLECTION', 'FUNDING'])
  }
  await openAccount(pool, COLLECTION, ['COLLECTION'])
  await openAccount(pool, FUNDING, ['FUNDING'])
}

/**
 * The id of the account with an IBAN in canonical form. The bank may report on an account that the
 * settings do not name. It is opened without a role, so that its cash is in the books.
 */
export async function accountIdOf(tx: Tx, iban: string): Promise<string> {
  const known = Object.values(tx.settings.bank_accounts).find(one => one.iban === iban)
  if (known) return known.id
  return findOrOpenAccount(tx, iban)
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
