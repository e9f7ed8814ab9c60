/** The lender's bank accounts, and the cash that bank news and payments move on them. */

import { raiseAlert } from '../../platform/alerts/index.ts'
import type { ConnectionPool } from '../../platform/db/connect.ts'
import { isCapitalIban, ownAccounts } from '../../platform/db/own-accounts.ts'
import type { Settings } from '../../platform/db/settings.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import { type BankCash, bankCash } from '../../platform/ledger/index.ts'
import { openAccounts, readIban } from './bank-account-store.ts'
import type { BankNewsRow, PaymentRow } from './types.ts'

/** Adds the lender's accounts that are new, with the roles that they have now. */
export async function openBankAccounts(
  pool: ConnectionPool,
  { COLLECTION, FUNDING }: Settings['bank_accounts'],
): Promise<void> {
  if (COLLECTION.iban === FUNDING.iban) {
    return openAccounts(pool, [{ ...COLLECTION, roles: ['COLLECTION', 'FUNDING'] }])
  }
  await openAccounts(pool, [
    { ...COLLECTION, roles: ['COLLECTION'] },
    { ...FUNDING, roles: ['FUNDING'] },
  ])
}

/** Whether the IBAN is the lender's collection or funding account, or was. */
export function isLenderIban({ settings }: Tx, iban: string): boolean {
  return ownAccounts(settings).some(one => one.iban === iban)
}

/**
 * Whether an account is in no books of ours, because the lender's settings never named it. The bank
 * may report of all accounts of a contract. Raises an alert, unless the account is where the
 * owner's capital comes from.
 */
export async function isForeign(tx: Tx, bank_account_id: string): Promise<boolean> {
  if (isOwnAccount(tx, bank_account_id)) return false
  const iban = await readIban(tx, bank_account_id)
  if (isCapitalIban(tx.settings, iban)) return true
  const detail = `Account ${iban} is not one of the lender's, so nothing of it is booked`
  await raiseAlert(tx, 'bank_account_unknown', bank_account_id, detail)
  return true
}

/** Whether the account is one of the lender's, or was. */
export function isOwnAccount({ settings }: Tx, bank_account_id: string): boolean {
  return ownAccounts(settings).some(one => one.id === bank_account_id)
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

/**
 * Whether the news moved cash as its kind says, for a payment in that direction: a return moves it
 * back, and what was not executed moves nothing.
 */
export function fitsDirection(
  { kind, direction }: Pick<BankNewsRow, 'kind' | 'direction'>,
  of_payment: PaymentRow['direction'],
): boolean {
  if (['IN_TRANSIT', 'REJECTED', 'CANCELED'].includes(kind)) return direction === null
  const is_forth = kind === 'SETTLED' || kind === 'TRANSFER_IN'
  return direction !== null && (direction === of_payment) === is_forth
}

/** The account that a settled payment moved, on the bank's booking date. */
export function cashOfPayment({ id, bank_account_id, bank_booked_on }: PaymentRow): BankCash {
  assert(bank_account_id && bank_booked_on, `payment ${id} has moved cash`)
  return bankCash(bank_account_id, bank_booked_on)
}
