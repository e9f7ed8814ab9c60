/** Accounts on file for borrowers, and the check that no other company uses them. */
import { sql } from 'kysely'
import { lockNames } from '../../platform/db/locks.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { invalid } from '../../platform/kit/problem.ts'
import { insertNewAccounts, type StoredAccount, upsertAccount } from './store.ts'

interface Holder {
  readonly id: string
  readonly partner_id: string
  readonly name: string
  readonly company_key: string
}

interface GivenAccount {
  readonly account_number: string
  readonly account_number_type?: StoredAccount['account_number_type']
  readonly bank_identifier?: string | null
  readonly bank_identifier_type?: StoredAccount['bank_identifier_type']
}

/** The stored form of an account. A missing bank identifier has the type `'undefined'`. */
export function storedAccount(account: GivenAccount): StoredAccount {
  const { bank_identifier, bank_identifier_type = 'bic' } = account
  return {
    account_number: account.account_number,
    account_number_type: account.account_number_type ?? 'iban',
    bank_identifier: bank_identifier || '',
    bank_identifier_type: bank_identifier ? bank_identifier_type : 'undefined',
  }
}

/**
 * Puts an account on file, or updates the bank identifier of one already on file. The caller has
 * verified that the account belongs to the holder.
 */
export async function putAccountOnFile(
  tx: Tx,
  holder: Omit<Holder, 'company_key'>,
  account: GivenAccount,
): Promise<void> {
  await upsertAccount(tx, {
    id: tx.newId(),
    partner_id: holder.partner_id,
    borrower_id: holder.id,
    account_name: holder.name,
    ...storedAccount(account),
    created_at: tx.now,
  })
}

/**
 * Puts verified accounts on file without waiting for the write, which completes before the commit.
 * Leaves accounts already on file unchanged.
 */
export function putAccountsOnFile(
  tx: Tx,
  proven: readonly { holder: Omit<Holder, 'company_key'>; account: GivenAccount }[],
): void {
  if (proven.length === 0) return
  const rows = proven.map(({ holder, account }) => ({
    id: tx.newId(),
    partner_id: holder.partner_id,
    borrower_id: holder.id,
    account_name: holder.name,
    ...storedAccount(account),
    created_at: tx.now,
  }))
  insertNewAccounts(tx, rows)
}

/**
 * Throws `request_invalid` if the account is on file for another company of any partner. Locks the
 * IBAN, so that concurrent claims to it are checked one after the other.
 */
export async function refuseAccountOfAnother(
  tx: Tx,
  holder: Pick<Holder, 'company_key'>,
  iban: string,
  param: string,
): Promise<void> {
  if (await isAccountOfAnother(tx, holder, iban)) throw invalid({ name: param, reason: NOT_OWNED })
}

/** Whether the account is on file for another company of any partner. Locks the IBAN. */
export async function isAccountOfAnother(
  tx: Tx,
  { company_key }: Pick<Holder, 'company_key'>,
  iban: string,
): Promise<boolean> {
  await lockNames(tx, 'iban', [iban])
  const { taken } = await tx.one(
    sql<{ taken: boolean }>`select account_of_another(${iban}, ${company_key}) as taken`,
  )
  return taken
}

export const NOT_OWNED = 'is not an account of this company'

/** The IBAN last put on file for the borrower, with its BIC if known. */
export async function latestAccount(
  tx: Tx,
  { partner_id, id }: RowKey,
): Promise<{ iban: string; bic: string | null } | undefined> {
  return tx.maybe(sql<{ iban: string; bic: string | null }>`
    select account_number as iban, nullif(bank_identifier, '') as bic from borrower_accounts
    where partner_id = ${partner_id} and borrower_id = ${id} and account_number_type = 'iban'
    order by created_at desc, id desc limit 1`)
}

/** The BIC on file for one of the borrower's accounts; null if unknown. */
export async function bicOnFile(
  tx: Tx,
  { partner_id, id }: RowKey,
  iban: string,
): Promise<string | null> {
  const found = await tx.maybe(sql<{ bic: string | null }>`
    select nullif(bank_identifier, '') as bic from borrower_accounts
    where partner_id = ${partner_id} and borrower_id = ${id} and account_number = ${iban}`)
  return found?.bic ?? null
}
