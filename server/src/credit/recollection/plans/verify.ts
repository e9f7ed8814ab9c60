/** Checks plans, interest stops and collection fees against payments, loans and the ledger. */
import { sql } from 'kysely'
import { isReturned, isSettled } from '../../../money/payments/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type Checks, type Finding, runChecks } from '../../../platform/ledger/index.ts'

const CHECKS: Checks = {
  installment_paid: sql`
    select 'part ' || p.id || ' has ' || p.paid || ', its payments gave ' || coalesce(n.amount, 0)
      as detail
    from installment_parts p
    left join (select partner_id, part_id, sum(amount) as amount from installment_shares
      where voided_at is null group by 1, 2) n on n.partner_id = p.partner_id and n.part_id = p.id
    where p.paid <> coalesce(n.amount, 0) limit 5`,
  installment_status: sql`
    select 'installment ' || i.id || ' is ' || i.status || ' with ' || n.paid || ' of ' || n.due
      as detail
    from plan_installments i
    join installment_plans p on p.partner_id = i.partner_id and p.id = i.plan_id
      and p.status in ('SCHEDULED', 'ACTIVE')
    cross join lateral (select sum(a.due) as due, sum(a.paid) as paid,
        sum(greatest(0, a.due - a.paid)) as open
      from installment_parts a where a.partner_id = i.partner_id and a.installment_id = i.id) n
    where (n.open = 0) <> (i.status in ('PAID', 'CANCELED'))
      or (i.status = 'PARTIALLY_PAID') <> (n.open > 0 and n.paid > 0) limit 5`,
  // Shares allocated to loans must also appear as the loans' movements.
  installment_booked: sql`
    select 'payment ' || s.payment_id || ' gave ' || sum(s.amount) || ' to loan ' || a.loan_id
      || ', which has ' || coalesce(max(m.amount), 0) as detail
    from installment_shares s
    join installment_parts a on a.partner_id = s.partner_id and a.id = s.part_id and a.kind = 'LOAN'
    left join (select partner_id, payment_id, loan_id, sum(amount) as amount from loan_movements
      where voided_at is null group by partner_id, payment_id, loan_id) m
      on m.partner_id = s.partner_id and m.payment_id = s.payment_id and m.loan_id = a.loan_id
    where s.voided_at is null group by s.partner_id, s.payment_id, a.loan_id
    having coalesce(max(m.amount), 0) < sum(s.amount) limit 5`,
  // A payment's movements and fees add up to its amount, or to 0 once it has been returned.
  payment_shares: sql`
    select 'payment ' || p.id || ' of ' || p.amount || ' has moved ' || sum(m.amount) as detail
    from payments p join (
      select partner_id, payment_id, case when voided_at is null then amount else 0 end as amount
      from loan_movements
      union all select s.partner_id, s.payment_id,
        case when s.voided_at is null then s.amount else 0 end
      from installment_shares s
      join installment_parts a on a.partner_id = s.partner_id and a.id = s.part_id
        and a.kind = 'FEES') m on m.partner_id = p.partner_id and m.payment_id = p.id
    group by p.partner_id, p.id
    having sum(m.amount) <> case when ${isReturned('p')} then 0 else p.amount end
    order by p.id limit 5`,
  // Nothing is due for a void bill without a replacement.
  installment_of_void_bill: sql`
    select 'part ' || p.id || ' has ' || p.paid || ' of ' || p.due || ', its bill ' || b.id
      || ' is INVALID' as detail
    from installment_parts p
    join plan_installments i on i.partner_id = p.partner_id and i.id = p.installment_id
    join installment_plans n on n.partner_id = i.partner_id and n.id = i.plan_id
      and n.status in ('SCHEDULED', 'ACTIVE')
    join bills b on b.partner_id = p.partner_id and b.id = p.bill_id and b.status = 'INVALID'
    where p.due > p.paid and not exists (select from bills v
      where v.partner_id = b.partner_id and v.payer_id = b.payer_id
        and v.period_from = b.period_from and v.status <> 'INVALID') limit 5`,
  installment_debit: sql`
    select 'installment ' || i.id || ' lacks ' || n.open || ', its debit is to bring '
      || d.amount as detail
    from payments d
    join plan_installments i on i.partner_id = d.partner_id and i.id = d.installment_id
    cross join lateral (select sum(greatest(0, a.due - a.paid)) as open
      from installment_parts a where a.partner_id = i.partner_id and a.installment_id = i.id) n
    join installment_plans p on p.partner_id = i.partner_id and p.id = i.plan_id
    where d.status = 'SCHEDULED'
      and (d.amount <> n.open or p.status not in ('SCHEDULED', 'ACTIVE')) limit 5`,
  loan_in_plan: sql`
    select 'loan ' || l.id || ' is in plan ' || l.installment_plan_id || ', which is '
      || coalesce(p.status, 'not there') as detail
    from loans l
    left join installment_plans p on p.partner_id = l.partner_id and p.id = l.installment_plan_id
    where l.installment_plan_id is not null
      and p.status is distinct from 'SCHEDULED' and p.status is distinct from 'ACTIVE' limit 5`,
  loan_debited_in_plan: sql`
    select 'loan ' || l.id || ' is in a plan and debited by payment ' || d.id as detail
    from loans l
    join payments d on d.partner_id = l.partner_id and d.loan_id = l.id and d.status = 'SCHEDULED'
      and d.direction = 'IN' and d.payment_method <> 'SCT'
    where l.installment_plan_id is not null limit 5`,
  // A loan's interest stops are exactly those of its cases.
  interest_stops: sql`
    select 'loan ' || l.id || ' keeps stops ' || l.interest_stops || ', its cases say ' || n.stops
      as detail
    from loans l left join lateral (select jsonb_agg(jsonb_build_object('from_on', s.stopped_on,
        'until_on', s.resumed_on) order by s.id) as stops
      from recollection_case_loans o join recollection_interest_stops s
        on s.partner_id = o.partner_id and s.case_id = o.case_id
      where o.partner_id = l.partner_id and o.loan_id = l.id) n on true
    where l.interest_stops <> coalesce(n.stops, '[]') limit 5`,
  recollection_fees: sql`
    select 'partner ' || t.id || ' is owed ' || n.collected - n.paid || ' in recollection fees, '
      || 'the books say ' || -coalesce(b.amount, 0) as detail
    from partners t
    cross join lateral (select
      (select coalesce(sum(s.amount), 0) from installment_shares s
        join installment_parts a on a.partner_id = s.partner_id and a.id = s.part_id
          and a.kind = 'FEES'
        where s.partner_id = t.id and s.voided_at is null) as collected,
      (select coalesce(sum(o.amount), 0) from recollection_payouts o
        join payments p on p.partner_id = o.partner_id and p.id = o.payment_id
        where o.partner_id = t.id and ${isSettled('p')}) as paid) n
    left join ledger_accounts a on a.partner_id = t.id and a.owner_id = t.id
      and a.code = 'recollection_fees_payable'
    left join ledger_balances b on b.partner_id = a.partner_id and b.account_id = a.id
    where n.collected - n.paid <> -coalesce(b.amount, 0) limit 5`,
  recollection_payout: sql`
    select 'payment ' || p.id || ' of ' || p.amount || ' pays out fees of ' || o.amount as detail
    from recollection_payouts o
    join payments p on p.partner_id = o.partner_id and p.id = o.payment_id
    where p.amount <> o.amount limit 5`,
}

export function verifyRecollection(tx: Tx): Promise<Finding[]> {
  return runChecks(tx, CHECKS)
}
