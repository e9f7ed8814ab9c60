/** Each borrower's cash, counted from the bank's statement alone: no cent is lost on the way. */
import { expectNone, type Rows } from './rows.ts'

/**
 * Whatever a borrower received beyond what it paid is owed as principal, or was written off and not
 * recovered. Interest and fees received and refunds still to be paid only add to the lender's side.
 * Payouts, refunds and debits count as the bank reports them, returns included; a transfer counts
 * once it is matched, one for several borrowers by their shares, and card spending from the day on
 * which its cycle becomes a loan.
 */
export async function nothingIsGivenAway(rows: Rows): Promise<void> {
  const lost = await rows(`
    with received as (
      select p.borrower_id, case
          when s.kind in ('IN_TRANSIT', 'REJECTED', 'CANCELED') then 0
          when (i.direction = 'IN') = (s.kind = 'SETTLED') then s.amount
          else -s.amount end as amount
      from sandbox_bank_statement s join sandbox_bank_instructions i on i.id = s.instruction_id
      join payments p on p.id = i.payment_id where s.told_at is not null
      union all
      select p.borrower_id, p.amount from payments p
      where p.direction = 'IN' and p.status = 'PAID' and p.charged_back_payment_id is null
        and not exists (select from sandbox_bank_instructions i where i.payment_id = p.id)
      union all
      select l.borrower_id, m.amount from payments p
      join loan_movements m on m.payment_id = p.id and m.voided_at is null and m.kind <> 'PAYOUT'
      join loans l on l.id = m.loan_id
      where p.direction = 'IN' and p.status = 'PAID' and p.borrower_id is null
      union all
      select l.borrower_id, case m.kind when 'PAYOUT' then -m.amount else m.amount end
      from loan_movements m join loans l on l.id = m.loan_id
      where l.loan_type = 'CREDIT_CARD_FINANCING' and m.payment_id is null
        and m.voided_at is null and m.kind in ('PAYOUT', 'REPAYMENT')),
    cash as (select borrower_id, sum(amount)::bigint as received from received group by 1),
    owed as (
      select borrower_id, sum(principal_outstanding + principal_written_off
        - principal_recovered)::bigint as owed from loans group by 1)
    select c.borrower_id, c.received, coalesce(o.owed, 0) as owed
    from cash c left join owed o on o.borrower_id = c.borrower_id
    where c.borrower_id is not null and coalesce(o.owed, 0) + c.received < 0
    order by c.borrower_id`)
  expectNone('a borrower has money that it does not owe', lost)
}
