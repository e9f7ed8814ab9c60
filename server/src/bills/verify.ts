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
