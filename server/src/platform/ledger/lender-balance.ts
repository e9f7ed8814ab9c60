/**
 * The balance of the lender's own accounts by kind: from stored sums, which posting does not
 * have to lock, or recomputed from all postings.
 */
import { type RawBuilder, sql } from 'kysely'
import { LENDER, ofEachOwner } from '../db/of-partner.ts'
import { UNSEALED } from './balances.ts'
import type { AccountCode } from './chart.ts'

/**
 * An SQL expression in cents, debit positive: the stored sum of sealed entries plus the few
 * unsealed ones. Evaluated in one statement, so that an entry being sealed counts once. With
 * `owner_ids`, only of accounts that have one of these owners.
 */
export function lenderBalance(
  codes: readonly AccountCode[],
  owner_ids?: readonly string[],
): RawBuilder<bigint> {
  const of_owner = owner_ids ? sql`and a.owner_id = any(${owner_ids}::uuid[])` : sql``
  return sql<bigint>`(select (coalesce((select sum(b.amount) from ledger_sealed_balances b
      join ledger_accounts a on a.partner_id = b.partner_id and a.id = b.account_id
      where a.partner_id = ${LENDER} and a.code = any(${codes}::text[]) ${of_owner}), 0)
    + coalesce((select sum(p.amount) from ${UNSEALED} n
      join ledger_postings p on p.partner_id = n.partner_id and p.entry_id = n.entry_id
      join ledger_accounts a on a.partner_id = ${LENDER} and a.id = p.account_id
      where a.code = any(${codes}::text[]) ${of_owner}), 0))::bigint)`
}

/**
 * The `total` of all postings on these accounts, in cents, debit positive, as a query or
 * expression.
 * For verification: reads the entries of every partner and of the lender.
 */
export function lenderPostings(code: AccountCode): RawBuilder<bigint> {
  return sql<bigint>`(select coalesce(sum(p.amount), 0) as total from ledger_accounts a
    join ledger_postings p on ${ofEachOwner('p')} and p.account_id = a.id
    where a.partner_id = ${LENDER} and a.code = ${code})`
}

/** The day before all days, on which cash without a booking date of the bank counts. */
export const FIRST_DAY = sql`'0001-01-01'::date`

/**
 * The cash in the books of the bank account in a column, up to the end of a day by the bank's
 * booking date. An SQL expression in cents, from the sealed sums and the unsealed entries.
 */
export function cashOn(
  bank_account_id: RawBuilder<unknown>,
  day: RawBuilder<unknown>,
): RawBuilder<bigint> {
  return sql<bigint>`(select (coalesce((select sum(d.amount) from ledger_accounts own
      join ledger_cash_days d on d.partner_id = own.partner_id and d.account_id = own.id
      where own.partner_id = ${LENDER} and own.owner_id = ${bank_account_id}
        and own.code = 'bank_cash' and d.booked_on <= ${day}), 0)
    + coalesce((select sum(p.amount) from ${UNSEALED} n
      join ledger_postings p on p.partner_id = n.partner_id and p.entry_id = n.entry_id
      join ledger_accounts own on own.partner_id = ${LENDER} and own.id = p.account_id
      where own.owner_id = ${bank_account_id} and own.code = 'bank_cash'
        and coalesce(p.bank_booked_on, ${FIRST_DAY}) <= ${day}), 0))::bigint)`
}
