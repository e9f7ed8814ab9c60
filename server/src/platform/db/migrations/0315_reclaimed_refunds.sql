-- A refund moves a loan's money like everything else: it uses up surplus, and what is no surplus
-- after all, because an earlier collection was taken back, is principal again.

alter table loan_movements
  drop constraint loan_movements_kind_check,
  add constraint loan_movements_kind_check
    check (kind in ('PAYOUT', 'REPAYMENT', 'BILL_PAYMENT', 'EXTRA', 'CREDIT', 'REFUND'));

insert into loan_movements (id, partner_id, loan_id, kind, payment_id, amount, value_on, booked_at,
  surplus, after_write_off)
select gen_random_uuid(), p.partner_id, p.loan_id, 'REFUND', p.id, p.amount, p.paid_on,
  coalesce(p.paid_at, p.updated_at), -p.amount,
  coalesce(p.paid_at >= (select w.in_force_at from write_offs w
    where w.loan_id = p.loan_id and w.status = 'IN_FORCE'), false)
from payments p
where p.payment_type = 'REFUND' and p.status = 'PAID' and p.loan_id is not null
  and not exists (select from payments b where b.charged_back_payment_id = p.id);

alter table loans
  -- Cents of refunds that are principal again; verify recomputes.
  add column refunds_reclaimed bigint not null default 0 check (refunds_reclaimed >= 0),
  -- Once nothing else is outstanding, the day on which that became known: reminders, blocks and
  -- cases count from it, for the borrower could not know before.
  add column reclaimed_known_on date,
  -- Net of them: below zero where they exceed all repayments.
  drop constraint loans_principal_repaid_check;
