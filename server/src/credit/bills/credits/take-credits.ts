/** Turns paid interest that a bill credits into a credit to its payer. */
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'
import { creditInterest } from '../../loans/index.ts'

interface Credited {
  partner_id: string
  bill_id: string
  loan_id: string
  payer_id: string
  /** Cents that the bill has credited so far. */
  taken: bigint
  /** Cents that the bill must credit in total. */
  due: bigint
  /**
   * Whether the loan no longer accrues interest, and the interest paid exceeds both the interest
   * accrued and the interest billed.
   */
  overpaid: boolean
}

/**
 * Keeps the credits of unsent bills in step with their lines. A negative line credits the interest
 * paid beyond what the loan is billed; the rest of the line, which was never paid, settles lines on
 * the loan's older bills. Interest prepaid for a line that has since shrunk is refunded.
 */
export async function takeCredits(
  tx: Tx,
  lines: readonly { partner_id: string; bill_id: string; loan_id: string }[],
): Promise<void> {
  const rows = await tx.all(sql<Credited>`
    select n.partner_id, n.bill_id, n.loan_id, b.payer_id, t.taken, d.due,
      l.interest_paid + t.taken - d.due > greatest(l.interest_billed, l.interest_accrued)
        and (l.paid_out_on is null or l.written_off_on is not null
          or l.principal_repaid_on is not null) as overpaid
    from unnest(${lines.map(l => l.partner_id)}::uuid[], ${lines.map(l => l.bill_id)}::uuid[],
      ${lines.map(l => l.loan_id)}::uuid[]) as n (partner_id, bill_id, loan_id)
    join bills b on b.partner_id = n.partner_id and b.id = n.bill_id
    join loans l on l.partner_id = n.partner_id and l.id = n.loan_id
    left join bill_lines i on b.status = 'GENERATED' and i.partner_id = n.partner_id
      and i.bill_id = n.bill_id and i.loan_id = n.loan_id
    cross join lateral (select coalesce(sum(m.amount), 0)::bigint as taken from loan_movements m
      where m.partner_id = n.partner_id and m.loan_id = n.loan_id
        and m.credit_bill_id = n.bill_id and m.kind = 'CREDIT' and m.voided_at is null) t
    cross join lateral (select greatest(0, least(coalesce(-i.amount, 0),
      l.interest_paid + t.taken - l.interest_billed))::bigint as due) d
    order by n.loan_id`)
  for (const { partner_id, bill_id: id, loan_id, payer_id, taken, due, overpaid } of rows) {
    if (taken === due && !overpaid) continue
    await creditInterest(tx, loan_id, { partner_id, id, payer_id }, due)
  }
}
