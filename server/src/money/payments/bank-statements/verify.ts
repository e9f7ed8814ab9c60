/** Verifies bank statements, their entries, and the stored days of the tie-out. */
import { sql } from 'kysely'
import { LENDER, ofEachOwner } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type Checks, type Finding, runChecks } from '../../../platform/ledger/index.ts'

/** Cash by account and booking date, from all postings, with the compared days among them. */
const CASH_AND_DAYS = sql`
  select a.owner_id as bank_account_id, coalesce(p.bank_booked_on, '0001-01-01') as day,
    0 as is_mark, sum(p.amount) as amount, null::bigint as ledger, null::timestamptz as checked_at
  from ledger_accounts a
  join ledger_postings p on ${ofEachOwner('p')} and p.account_id = a.id
  where a.partner_id = ${LENDER} and a.code = 'bank_cash' group by 1, 2
  union all
  select bank_account_id, day, 1, 0, ledger, checked_at from tie_outs where result <> 'WAITING'`

const CHECKS: Checks = {
  // News booked since a day was compared has it compared again by a job.
  tie_out: sql`
    select 'account ' || bank_account_id || ' was compared on ' || day || ' with ' || ledger
      || ' in the books, its postings sum to ' || summed as detail
    from (select u.*, sum(amount) over (partition by bank_account_id order by day, is_mark)
        as summed from (${CASH_AND_DAYS}) u) r
    where is_mark = 1 and summed <> ledger
      and not exists (select from bank_news n where n.bank_account_id = r.bank_account_id
        and n.booked_on <= r.day and n.booked_at > r.checked_at) limit 5`,
  statement_ties: sql`
    select 'statement ' || s.statement_id || ' closes with ' || s.closing
      || ', its opening balance and entries make ' || s.opening + e.moved as detail
    from bank_statements s cross join lateral (select count(*) as entries,
        coalesce(sum(case direction when 'IN' then amount else -amount end), 0) as moved
      from bank_entries where statement_id = s.id) e
    where s.state = 'BOOKED' and (s.closing <> s.opening + e.moved or s.entries <> e.entries)
    limit 5`,
  entry_news: sql`
    select 'entry ' || e.place || ' of statement ' || s.statement_id || ' became no news' as detail
    from bank_statements s join bank_entries e on e.statement_id = s.id
    left join bank_news n on n.bank_account_id = s.bank_account_id
      and n.bank_reference = e.bank_reference
    where s.state = 'BOOKED' and e.amount <> 0 and n.id is null limit 5`,
}

export function verifyStatements(tx: Tx): Promise<Finding[]> {
  return runChecks(tx, CHECKS)
}
