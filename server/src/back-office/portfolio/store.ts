/** The only SQL that writes the days of the portfolio. */
import { sql } from 'kysely'
import { availableCredit } from '../../credit/loans/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { within } from '../../platform/ledger/index.ts'

const lent = sql<boolean>`e.kind in ('payout', 'payout_returned', 'card_cycle')`

/**
 * Inserts one row per partner; amounts in cents. Balances are the current ones, flows those booked
 * on the day: principal lent and repaid, and interest income.
 */
export async function insertDay(tx: Tx, ended: Day): Promise<number> {
  const available = await availableCredit(tx, null, ended)
  return tx.run(sql`
    insert into portfolio_days (partner_id, business_date, outstanding, available, late,
      loans_running, paid_out, repaid, interest_earned)
    select p.id, ${ended}, coalesce(c.outstanding, 0), coalesce(v.available, 0),
      coalesce(t.late, 0), coalesce(r.running, 0), coalesce(f.paid_out, 0),
      coalesce(f.repaid, 0), coalesce(f.interest_earned, 0)
    from partners p
    left join (select partner_id, sum(outstanding)::bigint as outstanding
      from credit_lines group by 1) c on c.partner_id = p.id
    left join unnest(${[...available.keys()]}::uuid[], ${[...available.values()]}::bigint[])
      as v (partner_id, available) on v.partner_id = p.id
    left join (select l.partner_id, sum(l.principal_outstanding)::bigint as late
      from late_loans n join loans l on l.partner_id = n.partner_id and l.id = n.loan_id
      group by 1) t on t.partner_id = p.id
    left join (select partner_id, count(*)::int as running
      from loans where status = 'TO_REPAY' group by 1) r on r.partner_id = p.id
    left join (select e.partner_id,
        sum(p.amount) filter (where ${lent} and a.code = 'loan_principal')::bigint as paid_out,
        -sum(p.amount) filter (where not (${lent}) and e.kind <> 'write_off'
          and a.code = 'loan_principal')::bigint as repaid,
        -sum(p.amount) filter (where a.code = 'interest_income')::bigint as interest_earned
      from ledger_entries e
      join ledger_postings p on p.partner_id = e.partner_id and p.entry_id = e.id
      join ledger_accounts a on a.partner_id = p.partner_id and a.id = p.account_id
      where ${within({ by: 'booked', from: ended, on: ended })}
        and a.code in ('loan_principal', 'interest_income')
      group by 1) f on f.partner_id = p.id
    on conflict do nothing`)
}
