/** Checks revenue shares against their payments and the ledger. */
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Checks, type Finding, runChecks } from '../../platform/ledger/index.ts'

const CHECKS: Checks = {
  revenue_share_payable: sql`
    select 'referrer ' || r.id || ' is owed ' || owed.amount || ', the books say '
      || coalesce(books.amount, 0) as detail
    from referrers r
    cross join lateral (select coalesce(sum(s.amount), 0)::bigint as amount from revenue_shares s
      where s.partner_id = r.partner_id and s.referrer_id = r.id
        and s.status in ('CREATED', 'SENT_BY_EMAIL')) owed
    left join lateral (select -b.amount as amount from ledger_accounts a
      join ledger_balances b on b.partner_id = a.partner_id and b.account_id = a.id
      where a.partner_id = r.partner_id and a.owner_id = r.id
        and a.code = 'revenue_share_payable') books on true
    where owed.amount <> coalesce(books.amount, 0) limit 5`,
  revenue_share_payment: sql`
    select 'revenue share ' || s.id || ' is ' || s.status || ', its payment of ' || p.amount
      || ' is ' || p.status as detail
    from revenue_shares s
    join payments p on p.partner_id = s.partner_id and p.id = s.payment_id
    where p.amount <> s.amount or (s.status = 'PAID') <> (p.status = 'PAID') limit 5`,
}

export function verifyReferrers(tx: Tx): Promise<Finding[]> {
  return runChecks(tx, CHECKS)
}
