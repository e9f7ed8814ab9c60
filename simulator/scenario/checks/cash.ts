/**
 * Checks that each borrower's cash, counted from the bank's statement, equals its debt to the cent.
 */
import { expectNone, type Rows } from './rows.ts'

/**
 * Every transfer that the bank has reported became a payment, an item in suspense or funding of the
 * lender.
 */
export async function transfersArrive(rows: Rows): Promise<void> {
  const lost = await rows(`
    select s.id, s.amount from sandbox_bank_statement s
    join bank_news n on n.bank_reference = s.id::text
    where s.kind = 'TRANSFER_IN' and s.told_at is not null and n.outcome <> 'funding'
      and not exists (select from suspense_items i where i.bank_news_id = n.id)
      and not exists (select from payments p where p.bank_reference = n.bank_reference
        and p.direction = 'IN' and p.amount = s.amount)
    order by s.id`)
  expectNone('money came in and is nowhere', lost)
}

/**
 * Cents that moved on our account for each borrower; positive if received. Payouts, refunds and
 * debits count as the bank reports them, including returns; payments in transit have not moved. A
 * transfer counts once matched, and is split as booked if it covers several borrowers. Unexpected
 * news about an order is in suspense and belongs to no borrower. Card spending counts as paid to
 * the borrower. Refunds of credit notes are left out here and in `OWED`.
 */
const RECEIVED = `
  select p.borrower_id, 'bank' as way, case
      when s.kind in ('IN_TRANSIT', 'REJECTED', 'CANCELED') then 0
      when (i.direction = 'IN') = (s.kind = 'SETTLED') then s.amount
      else -s.amount end as amount
  from sandbox_bank_statement s join sandbox_bank_instructions i on i.id = s.instruction_id
  join payments p on p.id = i.payment_id
  where s.told_at is not null and (p.direction = 'IN' or p.payment_type = 'LOAN_PAYMENT'
    or p.payment_type = 'REFUND' and p.bill_id is null)
  union all
  select p.borrower_id, 'transfer', p.amount from matched p where p.borrower_id is not null
  union all
  select l.borrower_id, 'transfer', m.amount from matched p
  join loan_movements m on m.payment_id = p.id and m.voided_at is null
  join loans l on l.id = m.loan_id where p.borrower_id is null
  union all
  select n.borrower_id, 'transfer', s.amount from matched p
  join installment_shares s on s.payment_id = p.id and s.voided_at is null
  join installment_parts a on a.id = s.part_id and a.kind = 'FEES'
  join plan_installments i on i.id = a.installment_id
  join installment_plans n on n.id = i.plan_id where p.borrower_id is null
  union all
  select s.borrower_id, 'transfer', n.amount from matched p
  join fee_payments n on n.payment_id = p.id
  join subscription_fees f on f.id = n.fee_id
  join subscriptions s on s.id = f.subscription_id where p.borrower_id is null
  union all
  select p.borrower_id, 'suspense', -i.cash from suspense_items i
  join payments p on p.id = i.payment_id
  union all
  select borrower_id, 'card', -amount from card_entries where status = 'completed'`

/**
 * Amounts that explain each borrower's cash: owed, paid for good, or due back; positive if owed.
 */
const OWED = `
  select borrower_id, 'principal' as what, principal_outstanding as amount from loans
  union all
  select borrower_id, 'card', card_spent from credit_lines
  union all
  select borrower_id, 'lost', principal_written_off - principal_recovered from loans
  union all
  select borrower_id, 'interest', -interest_paid from loans
  union all
  select borrower_id, 'refund', surplus_refunded - surplus from loans
  union all
  select l.borrower_id, 'credit', case m.kind when 'CREDIT' then -m.amount else m.amount end
  from loan_movements m join loans l on l.id = m.loan_id
  where m.credit_bill_id is not null and m.voided_at is null
  union all
  select n.borrower_id, 'fee', -a.paid from installment_parts a
  join plan_installments i on i.id = a.installment_id join installment_plans n on n.id = i.plan_id
  where a.kind = 'FEES'
  union all
  select s.borrower_id, 'fee', -f.amount from subscription_fees f
  join subscriptions s on s.id = f.subscription_id
  union all
  select a.owner_id, 'fee', p.amount from ledger_accounts a
  join ledger_postings p on p.partner_id = a.partner_id and p.account_id = a.id
  where a.code = 'subscription_receivable'`

/**
 * Cash out less cash in equals outstanding principal and card spending, plus principal written off
 * and not recovered, less interest and fees received, refunds payable and credit notes. The cash
 * side uses no split that a loan computed, so it reveals money that a loan lost or invented. A
 * violation lists each term.
 */
export async function cashEqualsDebt(rows: Rows): Promise<void> {
  const unequal = await rows(`
    with matched as (
      select p.id, p.borrower_id, p.amount from payments p
      where p.direction = 'IN' and p.status = 'PAID' and p.charged_back_payment_id is null
        and not exists (select from sandbox_bank_instructions i where i.payment_id = p.id)
        and not exists (select from payments b where b.charged_back_payment_id = p.id)),
    terms as (
      select borrower_id, 'received' as side, way as term, amount from (${RECEIVED}) r
      union all select borrower_id, 'owed', what, amount from (${OWED}) o),
    summed as (
      select borrower_id, side, term, sum(amount) as amount from terms
      where borrower_id is not null group by 1, 2, 3)
    select borrower_id, sum(amount)::bigint as difference,
      jsonb_object_agg(side || ' ' || term, amount) filter (where amount <> 0) as terms
    from summed group by borrower_id having sum(amount) <> 0 order by borrower_id`)
  expectNone("a borrower's cash is not its debt", unequal)
}
