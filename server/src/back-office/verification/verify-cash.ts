/**
 * Reconciles cash with debt: cash out to a borrower less cash in equals what it owes. The cash side
 * sums whole amounts: payments, card entries, and incoming money as booked to each loan, plan and
 * fee. It does not use a loan's split into principal and interest, so money lost there shows up
 * here.
 */
import { sql } from 'kysely'
import { isSettled } from '../../money/payments/index.ts'
import { LENDER } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Checks, type Finding, runChecks } from '../../platform/ledger/index.ts'

/**
 * Cash out less cash in, by borrower. Leaves out money in transit, unmatched payments and refunds
 * of credit notes. Cleared card spending counts as cash out to the processor.
 */
const CASH = sql`
  select l.borrower_id, p.amount from payments p
  join loans l on l.partner_id = p.partner_id and l.id = p.loan_id
  where p.direction = 'OUT' and p.payment_type in ('LOAN_PAYMENT', 'REFUND') and ${isSettled('p')}
  union all
  select l.borrower_id, -m.amount from loan_movements m
  join loans l on l.partner_id = m.partner_id and l.id = m.loan_id
  join payments p on p.partner_id = m.partner_id and p.id = m.payment_id and p.direction = 'IN'
  where m.voided_at is null and ${isSettled('p')}
  union all
  select n.borrower_id, -s.amount from installment_shares s
  join installment_parts a on a.partner_id = s.partner_id and a.id = s.part_id and a.kind = 'FEES'
  join plan_installments i on i.partner_id = a.partner_id and i.id = a.installment_id
  join installment_plans n on n.partner_id = i.partner_id and n.id = i.plan_id
  join payments p on p.partner_id = s.partner_id and p.id = s.payment_id
  where s.voided_at is null and ${isSettled('p')}
  union all
  select s.borrower_id, -n.amount from fee_payments n
  join subscription_fees f on f.partner_id = n.partner_id and f.id = n.fee_id
  join subscriptions s on s.partner_id = f.partner_id and s.id = f.subscription_id
  join payments p on p.partner_id = n.partner_id and p.id = n.payment_id where ${isSettled('p')}
  union all
  select p.borrower_id, p.amount from payments p
  where p.direction = 'OUT' and p.payment_type = 'REFUND' and p.loan_id is null
    and p.bill_id is null and ${isSettled('p')}
  union all
  select borrower_id, amount from card_entries where status = 'completed'`

/**
 * The borrower's debt for that cash: principal outstanding or written off and not recovered, less
 * interest paid and refunds owed.
 */
const OWED = sql`
  select borrower_id, principal_outstanding + principal_written_off - principal_recovered
    - interest_paid - greatest(0, surplus - surplus_refunded) as amount from loans
  where surplus <> 0 or interest_paid <> 0 or principal_outstanding <> 0
    or principal_written_off <> 0
  union all
  -- interest_paid falls by credits although that cash came in, and rises by set-offs although no
  -- cash did.
  select l.borrower_id, case m.kind when 'CREDIT' then -m.amount else m.amount end
  from loan_movements m join loans l on l.partner_id = m.partner_id and l.id = m.loan_id
  where m.credit_bill_id is not null and m.voided_at is null
  union all
  select n.borrower_id, -a.paid from installment_parts a
  join plan_installments i on i.partner_id = a.partner_id and i.id = a.installment_id
  join installment_plans n on n.partner_id = i.partner_id and n.id = i.plan_id
  where a.kind = 'FEES'
  union all
  select s.borrower_id, -f.amount from subscription_fees f
  join subscriptions s on s.partner_id = f.partner_id and s.id = f.subscription_id
  union all
  select a.owner_id, b.amount from ledger_accounts a
  join ledger_balances b on b.partner_id = a.partner_id and b.account_id = a.id
  where a.code = 'subscription_receivable'
  union all
  select borrower_id, card_spent from credit_lines where card_spent <> 0`

const CHECKS: Checks = {
  entry_partner: sql`
    select 'entry ' || e.id || ' is booked to partner ' || e.partner_id || ', which does not have '
      || concat_ws(' or ', case when l.id is null then 'loan ' || e.loan_id end,
        case when b.id is null then 'bill ' || e.bill_id end,
        case when p.id is null then 'payment ' || e.payment_id end) as detail
    from ledger_entries e
    left join loans l on l.partner_id = e.partner_id and l.id = e.loan_id
    left join bills b on b.partner_id = e.partner_id and b.id = e.bill_id
    left join payments p on p.partner_id = e.partner_id and p.id = e.payment_id
    where e.loan_id is not null and l.id is null or e.bill_id is not null and b.id is null
      or e.payment_id is not null and p.id is null limit 5`,
  // Accounts are unique within a partner only, so a wrong partner would open a second one.
  account_partner: sql`
    select 'account ' || a.code || ' of ' || a.owner_id || ' belongs to partner ' || a.partner_id
      || ', its owner does not' as detail
    from ledger_accounts a
    left join (select partner_id, id from loans union all select partner_id, id from borrowers
      union all select partner_id, id from referrers union all select id, id from partners
      union all select ${LENDER}, id from bank_accounts) o
      on o.partner_id = a.partner_id and o.id = a.owner_id
    where a.owner_id is not null and o.id is null limit 5`,
  payment_returned: sql`
    select 'payment ' || p.id || ' was returned at ' || coalesce(b.created_at::text, '(never)')
      || ', its row says ' || coalesce(p.returned_at::text, '(never)') as detail
    from payments p
    left join payments b on b.partner_id = p.partner_id and b.charged_back_payment_id = p.id
    where p.returned_at is distinct from b.created_at limit 5`,
  suspense_payment: sql`
    select 'unmatched payment ' || s.id || ' names payment ' || n.id || ', which is not there'
      as detail
    from suspense_items s cross join lateral (
      values (s.payment_id), (s.matched_payment_id)) n (id)
    left join payments p on p.partner_id = any(array(select id from partners)) and p.id = n.id
    where n.id is not null and p.id is null limit 5`,
  borrower_cash: sql`
    select 'borrower ' || borrower_id || ' was paid ' || coalesce(c.amount, 0)
      || ' more than came in, and owes ' || coalesce(o.amount, 0) || ' of it' as detail
    from (select borrower_id, sum(amount) as amount from (${CASH}) c group by 1) c
    full join (select borrower_id, sum(amount) as amount from (${OWED}) o group by 1) o
      using (borrower_id)
    where coalesce(c.amount, 0) <> coalesce(o.amount, 0) limit 5`,
  // A refund above the surplus would make the refund liability negative: a claim without a debtor.
  refunds_payable: sql`
    select 'loan ' || id || ' received ' || surplus || ' too much and gave back '
      || surplus_refunded as detail
    from loans where surplus_refunded > surplus limit 5`,
  payment_attributed: sql`
    select 'payment ' || p.id || ' of ' || p.amount || ' came in, ' || coalesce(n.amount, 0)
      || ' of it is attributed' as detail
    from payments p left join lateral (select sum(amount) as amount from (
      select amount from loan_movements
        where partner_id = p.partner_id and payment_id = p.id and voided_at is null
      union all select s.amount from installment_shares s
        join installment_parts a on a.partner_id = s.partner_id and a.id = s.part_id
          and a.kind = 'FEES'
        where s.partner_id = p.partner_id and s.payment_id = p.id and s.voided_at is null
      union all select f.amount from fee_payments f
        where f.partner_id = p.partner_id and f.payment_id = p.id) n) n on true
    where p.direction = 'IN' and ${isSettled('p')} and p.charged_back_payment_id is null
      and p.amount <> coalesce(n.amount, 0) limit 5`,
  // A payment's surplus is not refunded while one of its targets is unpaid.
  refund_of_named: sql`
    select 'refund ' || r.id || ' of ' || r.amount || ' is planned, and its payment names '
      || n.kind || ' ' || n.id || ', which is open' as detail
    from payments r join payments p on p.partner_id = r.partner_id and p.id = r.refunded_payment_id
    cross join lateral (
      select kind, named_id as id from payment_names
        where partner_id = p.partner_id and payment_id = p.id
      union all select 'bill', p.bill_id
      union all select 'installment', p.installment_id) n
    where r.payment_type = 'REFUND' and r.status = 'SCHEDULED' and case n.kind
      when 'loan' then exists (select from loans l
        where l.partner_id = p.partner_id and l.id = n.id and l.status = 'TO_REPAY')
      when 'bill' then exists (select from bills b join bills v on v.partner_id = b.partner_id
        and v.payer_id = b.payer_id and v.period_from = b.period_from
        where b.partner_id = p.partner_id and b.id = n.id and v.status = 'TO_PAY')
      else exists (select from installment_parts a
        join plan_installments i on i.partner_id = a.partner_id and i.id = a.installment_id
        join installment_plans q on q.partner_id = i.partner_id and q.id = i.plan_id
          and q.status in ('SCHEDULED', 'ACTIVE')
        where i.partner_id = p.partner_id and i.id = n.id and a.due > a.paid) end limit 5`,
}

export function verifyCash(tx: Tx): Promise<Finding[]> {
  return runChecks(tx, CHECKS)
}
