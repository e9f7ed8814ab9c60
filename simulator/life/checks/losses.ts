/** Loans given up, and debts paid in parts: what was lost and what was paid, from plain facts. */
import { expectNone, type Rows } from './rows.ts'

/**
 * Valued after the day of a write-off, or on it and booked when the loan was written off already:
 * times do not tell which came first, for who books may have waited for who writes off.
 */
const LATER = `(m.value_on > l.written_off_on
  or m.value_on = l.written_off_on and m.after_write_off)`

/**
 * The principal lost is what was lent, by the payout and by refunds that were no surplus, and no
 * money valued before had repaid; money valued later recovers it.
 * Nothing is owed of such a loan any more, nor debited.
 */
export async function lossesAreExact(rows: Rows): Promise<void> {
  const wrong = await rows(`
    select l.id, f.lent, l.principal_written_off as lost, f.before, f.later,
      l.principal_recovered as recovered, l.principal_outstanding as owed, l.status
    from loans l cross join lateral (
      select l.amount
          - coalesce(sum(m.principal) filter (where m.kind = 'REFUND'), 0)::bigint as lent,
        coalesce(sum(m.amount) filter (where m.kind = 'REPAYMENT' and not ${LATER}), 0)::bigint
          as before,
        coalesce(sum(m.amount) filter (where m.kind = 'REPAYMENT' and ${LATER}), 0)::bigint
          as later
      from loan_movements m where m.loan_id = l.id and m.voided_at is null) f
    where l.written_off_on is not null and l.written_off_on >= l.paid_out_on and (
      l.principal_written_off <> greatest(f.lent - f.before, 0)
      or l.principal_recovered <> least(greatest(f.lent - f.before, 0), f.later)
      or l.principal_outstanding <> 0 or l.status <> 'CLOSED')`)
  expectNone('a loss is not what was owed', wrong)
  const agreed = await rows(`
    select w.id from write_offs w where w.status = 'IN_FORCE' and w.approved_by = w.proposed_by`)
  expectNone('somebody agreed with himself', agreed)
}

/**
 * An installment is paid by the money that names it and is its debit: no part gets more than it
 * asks for, what all parts got is what those payments have brought, and a plan that is COMPLETED
 * owes nothing.
 */
export async function plansAddUp(rows: Rows): Promise<void> {
  const greedy = await rows(`
    select a.id, a.due, a.paid, coalesce(s.got, 0) as got from installment_parts a
    left join (select part_id, sum(amount) as got from installment_shares
      where voided_at is null group by part_id) s on s.part_id = a.id
    where a.paid <> coalesce(s.got, 0) or a.paid > a.due`)
  expectNone('a part of an installment has other money than it was paid', greedy)
  const over = await rows(`
    select p.id, p.amount, sum(s.amount) as shared from payments p
    join installment_shares s on s.payment_id = p.id and s.voided_at is null
    group by p.id having sum(s.amount) > p.amount`)
  expectNone('a payment paid more installments than it brought', over)
  const unpaid = await rows(`
    select l.id, i.position from installment_plans l join plan_installments i on i.plan_id = l.id
    join installment_parts a on a.installment_id = i.id
    where l.status = 'COMPLETED' and a.paid < a.due`)
  expectNone('a plan is completed and not paid', unpaid)
}
