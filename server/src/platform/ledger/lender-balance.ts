/** The balance of one of the lender's own accounts, without a row that every posting locks. */
import { type RawBuilder, sql } from 'kysely'
import { UNSEALED } from './balances.ts'
import type { AccountCode } from './chart.ts'

/**
 * An SQL expression in cents, debit positive: the stored sum of sealed entries plus the few
 * unsealed ones. Evaluated in one statement, so that an entry being sealed counts once.
 */
export function lenderBalance(code: AccountCode): RawBuilder<bigint> {
  return sql<bigint>`(select (coalesce((select b.amount from ledger_sealed_balances b
      join ledger_accounts a on a.id = b.account_id
      where a.code = ${code} and a.owner_id is null), 0)
    + coalesce((select sum(p.amount) from ledger_postings p
      join ledger_accounts a on a.id = p.account_id
      where p.entry_id = any(${UNSEALED})
        and a.code = ${code} and a.owner_id is null), 0))::bigint)`
}
