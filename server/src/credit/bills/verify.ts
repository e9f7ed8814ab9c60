/** Checks bills against their lines and against the loans they bill. */
import { sql } from 'kysely'
import { isSettled, isUnsuccessful } from '../../money/payments/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Checks, type Finding, runChecks } from '../../platform/ledger/index.ts'
import { centDaysTo, stepsUntil } from '../loans/index.ts'
import { IS_REFUND } from './payment-of-bill.ts'

/**
 * Cents that each bill credited, set off and refunded (pending refunds included), and those of
 * settled refunds as `paid_back`.
 */
const credits = sql`(
  select b.partner_id, b.id, b.payer_id, m.credited, m.set_off, coalesce(r.refunded, 0) as refunded,
    coalesce(r.paid_back, 0) as paid_back
  from (select partner_id, credit_bill_id,
      coalesce(sum(amount) filter (where kind = 'CREDIT'), 0) as credited,
      coalesce(sum(amount) filter (where kind <> 'CREDIT'), 0) as set_off
    from loan_movements where credit_bill_id is not null and voided_at is null
    group by partner_id, credit_bill_id) m
  join bills b on b.partner_id = m.partner_id and b.id = m.credit_bill_id
  left join (select p.partner_id, p.bill_id, sum(p.amount) as refunded,
      sum(p.amount) filter (where p.status = 'PAID') as paid_back
    from payments p where p.bill_id is not null and ${IS_REFUND}
    group by p.partner_id, p.bill_id) r on r.partner_id = b.partner_id and r.bill_id = b.id)`

const PRINTED = sql`jsonb_to_recordset(l.printed) as p (kind text, component text, amount bigint,
  days integer, from_on date, to_on date, principal bigint, rate_ppm integer, reason text,
  corrects_bill_id uuid, exact_to_date_microcents numeric, billed_before bigint)`

/**
 * Unpaid mark-up of a loan `l` on its bills; the lender's interest is paid first. For each line,
 * this is the mark-up's share of the amount not credited, rounded half even, but at most the unpaid
 * amount.
 */
const OPEN_MARK_UP = sql`(
  select coalesce(sum(greatest(0, least(i.amount - i.paid, n.cents - n.is_half_up))), 0)
  from bill_lines i
  join bills b on b.partner_id = i.partner_id and b.id = i.bill_id and b.status <> 'INVALID'
  cross join lateral (
    select 2 * i.mark_up::numeric * (i.amount - i.credited) + i.amount as twice) t
  cross join lateral (select div(t.twice, 2 * i.amount) as cents,
    case when mod(t.twice, 2 * i.amount) = 0 then mod(div(t.twice, 2 * i.amount), 2) else 0 end
      as is_half_up) n
  where i.partner_id = l.partner_id and i.loan_id = l.id and i.amount > i.paid
    and i.amount > 0)`

/** Collected mark-up of a loan `l`, including recoveries after a write-off. */
const COLLECTED = sql`(case when l.written_off_on is null
  then greatest(0, least(least(l.mark_up_accrued, l.mark_up_billed) - ${OPEN_MARK_UP},
    l.interest_paid))
  else least(l.mark_up_accrued - l.mark_up_written_off, greatest(0, l.interest_paid)) end)`

const CHECKS: Checks = {
  loan_billed: sql`
    select 'loan ' || l.id || ' was billed ' || l.interest_billed || ', its bills say '
      || coalesce(sum(n.amount), 0) as detail
    from loans l
    left join (select i.partner_id, i.loan_id, i.amount from bill_lines i
      join bills b on b.partner_id = i.partner_id and b.id = i.bill_id
      where b.status <> 'INVALID') n on n.partner_id = l.partner_id and n.loan_id = l.id
    group by l.partner_id, l.id having l.interest_billed <> coalesce(sum(n.amount), 0) limit 5`,
  line_complete: sql`
    select 'line of loan ' || i.loan_id || ' on bill ' || i.bill_id || ' lacks one of them'
      as detail
    from bill_lines i left join bills b on b.partner_id = i.partner_id and b.id = i.bill_id
    left join loans l on l.partner_id = i.partner_id and l.id = i.loan_id
    where b.id is null or l.id is null limit 5`,
  bill_total: sql`
    select 'bill ' || b.id || ' asks for ' || b.amount || ' and has ' || b.amount_paid
      || ', its lines ' || coalesce(sum(l.amount), 0) || ' and ' || coalesce(sum(l.paid), 0)
      as detail
    from bills b left join bill_lines l on l.partner_id = b.partner_id and l.bill_id = b.id
    group by b.partner_id, b.id having b.amount <> coalesce(sum(l.amount), 0)
      or b.amount_paid <> coalesce(sum(l.paid), 0) order by b.id limit 5`,
  // Printed amounts add up to the line's amount, separately for interest and mark-up.
  line_printed: sql`
    select 'line of loan ' || l.loan_id || ' on bill ' || l.bill_id || ' asks for ' || l.amount
      || ', ' || l.mark_up || ' of it mark-up, and prints ' || n.amount || ' and ' || n.mark_up
      as detail
    from bill_lines l
    cross join lateral (select coalesce(sum(p.amount), 0) as amount,
      coalesce(sum(p.amount) filter (where p.component = 'PARTNER_MARK_UP'), 0) as mark_up
      from ${PRINTED}) n
    where l.amount <> n.amount or l.mark_up <> n.mark_up order by l.bill_id limit 5`,
  // A printed line matches the formula printed on it.
  line_formula: sql`
    select 'line of loan ' || l.loan_id || ' on bill ' || l.bill_id || ' prints ' || p.days
      || ' days, ' || p.principal || ' at ' || p.rate_ppm || ' ppm, ' || p.amount as detail
    from bill_lines l cross join lateral ${PRINTED}
    where p.principal is not null and (p.days <> p.to_on - p.from_on + 1
        or p.amount <> sign(p.principal)
          * interest_cents(abs(p.principal::numeric) * p.rate_ppm * p.days))
      or p.principal is null and p.kind not in ('LAPSED', 'ROUNDING')
        and p.reason is distinct from 'NOT_RECORDED' limit 5`,
  line_rounding: sql`
    select 'line of loan ' || l.loan_id || ' on bill ' || l.bill_id || ' rounds by ' || p.amount
      || ' from ' || p.exact_to_date_microcents || ' with ' || p.billed_before || ' billed'
      as detail
    from bill_lines l cross join lateral ${PRINTED}
    where p.kind = 'ROUNDING' and p.exact_to_date_microcents is not null
      and p.amount <> interest_cents(p.exact_to_date_microcents) - p.billed_before
        - (select coalesce(sum(o.amount), 0) from jsonb_to_recordset(l.printed)
            as o (kind text, component text, amount bigint)
          where o.component = p.component and o.kind <> 'ROUNDING') limit 5`,
  // An adjustment has a reason and, unless that is NOT_RECORDED, names an earlier bill of the same
  // payer.
  line_adjusts: sql`
    select 'line of loan ' || l.loan_id || ' on bill ' || l.bill_id || ' adjusts bill '
      || coalesce(p.corrects_bill_id::text, 'none') || ' for ' || coalesce(p.reason, 'no reason')
      as detail
    from bill_lines l join bills b on b.partner_id = l.partner_id and b.id = l.bill_id
    cross join lateral ${PRINTED}
    left join bills c on c.partner_id = l.partner_id and c.id = p.corrects_bill_id
    where p.kind = 'ADJUSTMENT' and (p.reason is null
      or (p.reason = 'NOT_RECORDED') and not exists (select from bill_lines o
        join bills e on e.partner_id = o.partner_id and e.id = o.bill_id and not e.lines_recorded
        where o.partner_id = l.partner_id and o.loan_id = l.loan_id)
      or p.reason <> 'NOT_RECORDED' and (c.payer_id is distinct from b.payer_id
        or c.period_from >= b.period_from)) limit 5`,
  bill_status: sql`
    select 'bill ' || id || ' is ' || status || ' with ' || amount_paid || ' of ' || amount
      as detail
    from bills where (status = 'PAID' and amount_paid < amount)
      or (status = 'TO_PAY' and amount_paid >= amount) order by id limit 5`,
  bill_payer: sql`
    select 'bill ' || b.id || ' of payer ' || b.payer_id || ' has loan ' || l.id
      || ', whose fees another pays' as detail
    from bills b join bill_lines i on i.partner_id = b.partner_id and i.bill_id = b.id
    join loans l on l.partner_id = i.partner_id and l.id = i.loan_id
    where b.payer_id <> l.payer_id
      or b.payer_id <> coalesce(b.borrower_id, b.partner_id) limit 5`,
  bill_loan_types: sql`
    select 'bill ' || b.id || ' keeps loans of ' || b.loan_types::text || ', has '
      || array_agg(distinct l.loan_type order by l.loan_type)::text as detail
    from bills b join bill_lines i on i.partner_id = b.partner_id and i.bill_id = b.id
    join loans l on l.partner_id = i.partner_id and l.id = i.loan_id
    group by b.partner_id, b.id
    having b.loan_types <> array_agg(distinct l.loan_type order by l.loan_type) limit 5`,
  // Skips loans whose interest has changed since their last bill was computed: the change goes on
  // the next bill.
  bill_formula: sql`
    select 'loan ' || l.id || ' was billed ' || l.interest_billed || ' to ' || n.until
      || ', the formula gives ' || f.interest + f.mark_up as detail
    from loans l
    cross join lateral (select max(b.period_to) + 1 as until, max(b.ran_at) as ran_at
      from bill_lines i join bills b on b.partner_id = i.partner_id and b.id = i.bill_id
      where i.partner_id = l.partner_id and i.loan_id = l.id and b.status <> 'INVALID') n
    cross join lateral (
      select interest_cents(e.exact * l.rate_ppm) as interest,
        interest_cents(e.exact * l.mark_up_ppm) as mark_up
      from (select coalesce(${centDaysTo(sql`n.until`)}, 0)::numeric as exact
        from ${stepsUntil()} s where s.partner_id = l.partner_id and s.loan_id = l.id) e) f
    where n.until is not null and (case when l.written_off_on is null
        then l.interest_billed <> f.interest + f.mark_up
        else l.interest_billed > f.interest + f.mark_up end)
      and (l.interest_changed_at > n.ran_at) is not true limit 5`,
  // A bill paid by a credit must not be replaced, or its payer would lose the credit.
  credit_on_replaced: sql`
    select 'bill ' || m.bill_id || ' is INVALID, and bill ' || m.credit_bill_id || ' pays '
      || m.amount || ' of it' as detail
    from loan_movements m
    join bills b on b.partner_id = m.partner_id and b.id = m.bill_id and b.status = 'INVALID'
    where m.credit_bill_id is not null and m.voided_at is null order by m.id limit 5`,
  credit_taken: sql`
    select 'bill ' || m.credit_bill_id || ' takes ' || sum(m.amount) || ' back of loan '
      || m.loan_id || ', its line is ' || coalesce(min(i.amount), 0) as detail
    from loan_movements m join bills b on b.partner_id = m.partner_id and b.id = m.credit_bill_id
    left join bill_lines i on i.partner_id = m.partner_id and i.bill_id = m.credit_bill_id
      and i.loan_id = m.loan_id
    where m.kind = 'CREDIT' and m.voided_at is null
    group by m.credit_bill_id, m.loan_id, b.status
    having b.status = 'INVALID' or sum(m.amount) > -coalesce(min(i.amount), 0) limit 5`,
  // A line's credit either returns money that was paid or settles other lines without money.
  credit_settles: sql`
    select 'line of loan ' || l.loan_id || ' on bill ' || l.bill_id || ' takes back ' || -l.paid
      || ', ' || -l.credited || ' of it without money and ' || m.taken || ' with it' as detail
    from bill_lines l
    join bills b on b.partner_id = l.partner_id and b.id = l.bill_id and b.status <> 'INVALID'
    cross join lateral (select coalesce(sum(amount), 0) as taken from loan_movements
      where partner_id = l.partner_id and credit_bill_id = l.bill_id and loan_id = l.loan_id
        and kind = 'CREDIT' and voided_at is null) m
    where l.amount < 0 and l.credited <> least(0, l.paid + m.taken) limit 5`,
  credit_spent: sql`
    select 'bill ' || n.id || ' credited ' || n.credited || ', of which ' || n.set_off
      || ' were set off and ' || n.refunded || ' paid back' as detail
    from ${credits} n where n.set_off + n.refunded > n.credited limit 5`,
  credit_payable: sql`
    select 'payer ' || coalesce(n.payer_id, a.owner_id) || ' is owed ' || coalesce(n.owed, 0)
      || ' of what bills credited, the books say ' || coalesce(-a.amount, 0) as detail
    from (select partner_id, payer_id, sum(credited - set_off - paid_back) as owed
        from ${credits} c group by partner_id, payer_id) n
    full join (select a.partner_id, a.owner_id, b.amount from ledger_accounts a
        join ledger_balances b on b.partner_id = a.partner_id and b.account_id = a.id
        where a.code = 'credit_notes_payable') a
      on a.partner_id = n.partner_id and a.owner_id = n.payer_id
    where coalesce(n.owed, 0) <> -coalesce(a.amount, 0) limit 5`,
  mark_up_billed: sql`
    select 'loan ' || l.id || ' was billed a mark-up of ' || l.mark_up_billed || ', its bills say '
      || coalesce(n.mark_up, 0) as detail
    from loans l
    left join (select i.partner_id, i.loan_id, sum(i.mark_up) as mark_up from bill_lines i
      join bills b on b.partner_id = i.partner_id and b.id = i.bill_id
      where b.status <> 'INVALID' group by i.partner_id, i.loan_id) n
      on n.partner_id = l.partner_id and n.loan_id = l.id
    where l.mark_up_billed <> coalesce(n.mark_up, 0) limit 5`,
  mark_up_paid_out: sql`
    select 'of the mark-up of loan ' || l.id || ' the partner has ' || l.mark_up_paid_out
      || ', its payments say ' || coalesce(n.amount, 0) as detail
    from loans l
    left join (select s.partner_id, s.loan_id, sum(s.amount) as amount from partner_shares s
      join payments p on p.partner_id = s.partner_id and p.id = s.payment_id
      where ${isSettled('p')}
      group by s.partner_id, s.loan_id) n on n.partner_id = l.partner_id and n.loan_id = l.id
    where l.mark_up_paid_out <> coalesce(n.amount, 0) limit 5`,
  // A partner receives only mark-up that had been collected when its last share was created; later
  // returns are withheld from later shares. One minute exceeds the duration of any concurrent
  // transaction that moved money.
  mark_up_received: sql`
    select 'of loan ' || l.id || ', on which a mark-up of ' || ${COLLECTED}
      || ' was collected, its partner was paid a mark-up of ' || n.amount as detail
    from loans l
    cross join lateral (select sum(s.amount) as amount,
        max(p.created_at) - interval '1 minute' as made_at
      from partner_shares s
      join payments p on p.partner_id = s.partner_id and p.id = s.payment_id
      where s.partner_id = l.partner_id and s.loan_id = l.id
        and not ${isUnsuccessful('p')}) n
    where n.amount > 0 and n.amount > ${COLLECTED}
      and (l.interest_changed_at > n.made_at) is not true
      and not exists (select from loan_movements m
        where m.partner_id = l.partner_id and m.loan_id = l.id
          and greatest(m.booked_at, m.voided_at) > n.made_at)
      -- A correction changes how the open mark-up of the corrected bills is rounded.
      and not exists (select from bill_lines i
        join bills b on b.partner_id = i.partner_id and b.id = i.bill_id
        where i.partner_id = l.partner_id and i.loan_id = l.id and i.amount < 0
          and b.ran_at > n.made_at)
    limit 5`,
  // The next run must withhold mark-up that was paid out but is no longer collected.
  mark_up_kept_back: sql`
    select 'of loan ' || l.id || ' its partner has a mark-up of ' || l.mark_up_paid_out || ', of '
      || 'which ' || ${COLLECTED} || ' is collected, and no share keeps the rest back' as detail
    from loans l
    where l.mark_up_paid_out > 0 and l.mark_up_paid_out > ${COLLECTED} and not l.share_unsettled
    limit 5`,
  share_total: sql`
    select 'payment ' || p.id || ' of ' || p.amount || ' is made of shares of '
      || sum(s.amount) as detail
    from payments p
    join partner_shares s on s.partner_id = p.partner_id and s.payment_id = p.id
    group by p.partner_id, p.id having p.amount <> sum(s.amount) limit 5`,
  planned_payment: sql`
    select 'bill ' || b.id || ' lacks ' || n.owed || ', its payment is to bring ' || p.amount
      as detail
    from payments p join bills b on b.partner_id = p.partner_id and b.id = p.bill_id
    cross join lateral (select case when bool_or(l.installment_plan_id is not null)
          and b.borrower_id is not null or b.installment_plan_id is not null
        then greatest(0, coalesce(sum(i.amount - i.paid) filter (
          where l.installment_plan_id is null and b.installment_plan_id is null), 0))
        else b.amount - b.amount_paid end as owed
      from bill_lines i join loans l on l.partner_id = i.partner_id and l.id = i.loan_id
      where i.partner_id = b.partner_id and i.bill_id = b.id) n
    where p.status = 'SCHEDULED' and p.direction = 'IN' and p.amount <> n.owed limit 5`,
  line_paid: sql`
    select 'lines of loan ' || o.id || ' have ' || sum(l.paid) || ' of ' || sum(l.amount)
      || ', the loan has paid ' || o.interest_paid as detail
    from loans o join bill_lines l on l.partner_id = o.partner_id and l.loan_id = o.id
    join bills b on b.partner_id = l.partner_id and b.id = l.bill_id and b.status <> 'INVALID'
    group by o.partner_id, o.id
    having sum(l.paid - l.lapsed) <> least(coalesce(sum(l.amount), 0),
      o.interest_paid + greatest(o.interest_billed - o.interest_accrued, 0)) limit 5`,
  // Money that a line no longer needs must pay the other lines of its bill.
  bill_money_idle: sql`
    select 'bill ' || b.id || ' lacks ' || b.amount - b.amount_paid || ', and payment '
      || m.payment_id || ' paid it for loan ' || l.id || ', which was paid '
      || l.interest_paid - l.interest_accrued || ' too much' as detail
    from bills b join bill_lines i on i.partner_id = b.partner_id and i.bill_id = b.id
    join loans l on l.partner_id = i.partner_id and l.id = i.loan_id
      and l.interest_paid > l.interest_accrued
    join loan_movements m on m.partner_id = l.partner_id and m.loan_id = l.id
      and m.bill_id = b.id and m.kind = 'BILL_PAYMENT'
    where b.status = 'TO_PAY' and b.amount > b.amount_paid and m.payment_id is not null
      and m.interest > 0 and m.voided_at is null and m.given_back = 0 limit 5`,
  line_lapsed: sql`
    select 'line of loan ' || o.id || ' on bill ' || l.bill_id || ' has ' || l.paid || ' of '
      || l.amount || ', of which lapsed ' || l.lapsed as detail
    from bill_lines l join loans o on o.partner_id = l.partner_id and o.id = l.loan_id
    join bills b on b.partner_id = l.partner_id and b.id = l.bill_id and b.status <> 'INVALID'
    where l.lapsed < 0 or l.lapsed + greatest(0, l.credited) > greatest(0, l.paid)
      or l.credited < 0 and l.amount > 0
      or l.lapsed > 0 and (o.written_off_on is null or l.paid <> l.amount)
      or o.written_off_on is not null and l.paid < l.amount limit 5`,
}

export function verifyBills(tx: Tx): Promise<Finding[]> {
  return runChecks(tx, CHECKS)
}
