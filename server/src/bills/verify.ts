/** Bills against their lines and against the loans that they ask for. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import type { Finding } from '../ledger/index.ts'

const checks: Record<string, RawBuilder<{ detail: string }>> = {
  bill_total: sql`
    select 'bill ' || b.id || ' asks for ' || b.amount || ' and has ' || b.amount_paid
      || ', its lines ' || coalesce(sum(l.amount), 0) || ' and ' || coalesce(sum(l.paid), 0)
      as detail
    from bills b left join bill_lines l on l.bill_id = b.id
    group by b.id having b.amount <> coalesce(sum(l.amount), 0)
      or b.amount_paid <> coalesce(sum(l.paid), 0) order by b.id limit 5`,
  bill_status: sql`
    select 'bill ' || id || ' is ' || status || ' with ' || amount_paid || ' of ' || amount
      as detail
    from bills where (status = 'PAID' and amount_paid < amount)
      or (status = 'TO_PAY' and amount_paid >= amount) order by id limit 5`,
  bill_payer: sql`
    select 'bill ' || b.id || ' of payer ' || b.payer_id || ' has loan ' || l.id
      || ', whose fees another pays' as detail
    from bills b join bill_lines i on i.bill_id = b.id join loans l on l.id = i.loan_id
    where b.payer_id <> case l.fees_payer when 'PARTNER' then l.partner_id else l.borrower_id end
      or b.payer_id <> coalesce(b.borrower_id, b.partner_id) limit 5`,
  // As known at the last run: what was booked since is for the next one.
  bill_formula: sql`
    select 'loan ' || l.id || ' was billed ' || l.interest_billed || ' to ' || n.until
      || ', the formula gives ' || f.interest + f.mark_up as detail
    from loans l
    cross join lateral (select max(b.period_to) + 1 as until, max(b.ran_at) as ran_at
      from bill_lines i join bills b on b.id = i.bill_id
      where i.loan_id = l.id and b.status <> 'INVALID') n
    cross join lateral (
      select interest_cents(coalesce(sum(e.exact * l.rate_ppm), 0)) as interest,
        interest_cents(coalesce(sum(e.exact * l.mark_up_ppm), 0)) as mark_up
      from (select s.principal::numeric * greatest(0, least(n.until,
          lead(s.from_on, 1, n.until) over (order by s.from_on)) - s.from_on) as exact
        from loan_principal_steps s where s.loan_id = l.id) e) f
    where n.until is not null and l.interest_billed <> f.interest + f.mark_up
      and not exists (select from loan_movements m where m.loan_id = l.id
        and greatest(m.booked_at, m.voided_at) > n.ran_at) limit 5`,
  mark_up_billed: sql`
    select 'loan ' || l.id || ' was billed a mark-up of ' || l.mark_up_billed || ', its bills say '
      || coalesce(n.mark_up, 0) as detail
    from loans l
    left join (select i.loan_id, sum(i.mark_up) as mark_up from bill_lines i
      join bills b on b.id = i.bill_id where b.status <> 'INVALID' group by i.loan_id) n
      on n.loan_id = l.id
    where l.mark_up_billed <> coalesce(n.mark_up, 0) limit 5`,
  mark_up_paid_out: sql`
    select 'of the mark-up of loan ' || l.id || ' the partner has ' || l.mark_up_paid_out
      || ', its payments say ' || coalesce(n.amount, 0) as detail
    from loans l
    left join (select s.loan_id, sum(s.amount) as amount from partner_shares s
      join payments p on p.id = s.payment_id
      where p.status = 'PAID' and not exists (select from payments b
        where b.charged_back_payment_id = p.id) group by s.loan_id) n on n.loan_id = l.id
    where l.mark_up_paid_out <> coalesce(n.amount, 0) limit 5`,
  share_total: sql`
    select 'payment ' || p.id || ' of ' || p.amount || ' is made of shares of '
      || sum(s.amount) as detail
    from payments p join partner_shares s on s.payment_id = p.id
    group by p.id having p.amount <> sum(s.amount) limit 5`,
  planned_payment: sql`
    select 'bill ' || b.id || ' lacks ' || b.amount - b.amount_paid || ', its payment is to bring '
      || p.amount as detail
    from payments p join bills b on b.id = p.bill_id
    where p.status = 'SCHEDULED' and p.direction = 'IN'
      and p.amount <> b.amount - b.amount_paid limit 5`,
  line_paid: sql`
    select 'lines of loan ' || o.id || ' have ' || sum(l.paid) || ' of ' || sum(l.amount)
      || ', the loan has paid ' || o.interest_paid as detail
    from loans o join bill_lines l on l.loan_id = o.id
    join bills b on b.id = l.bill_id and b.status <> 'INVALID'
    group by o.id
    having sum(l.paid) <> least(sum(l.amount),
      o.interest_paid + greatest(o.interest_billed - o.interest_accrued, 0)) limit 5`,
}

export async function verifyBills(tx: Tx): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [check, query] of Object.entries(checks)) {
    for (const { detail } of await tx.all(query)) findings.push({ check, detail })
  }
  return findings
}
