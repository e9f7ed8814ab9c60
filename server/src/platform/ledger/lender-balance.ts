/** What an account of the lender's own holds, without a row that everybody would wait for. */
import { type RawBuilder, sql } from 'kysely'
import type { AccountCode } from './chart.ts'

/**
 * An expression for cents, debit positive: what is sealed is kept as a sum, and only the short tail
 * is added up. Read in one statement, so that an entry counts once while it is being sealed.
 */
export function lenderBalance(code: AccountCode): RawBuilder<bigint> {
  return sql<bigint>`(select (coalesce((select b.amount from ledger_sealed_balances b
      join ledger_accounts a on a.id = b.account_id
      where a.code = ${code} and a.owner_id is null), 0)
    + coalesce((select sum(p.amount) from ledger_unsealed u
      join ledger_postings p on p.entry_id = u.entry_id
      join ledger_accounts a on a.id = p.account_id
      where a.code = ${code} and a.owner_id is null), 0))::bigint)`
}
