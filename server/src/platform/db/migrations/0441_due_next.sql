-- What of a loan is due next, and when, is computed by installments.ts whenever its money or its
-- days change; verify recomputes it.
alter table loans
  alter column falls_due_on drop expression,
  alter column principal_covered drop expression,
  add column in_parts boolean not null default false,
  -- The day on which its oldest unpaid part falls due, and that part; null without parts.
  add column due_on date,
  add column due_part integer;
update loans l set in_parts = exists (select from loan_installments i where i.loan_id = l.id),
  due_on = loan_due_on(l), due_part = (select min(i.position) from loan_installments i
    where i.loan_id = l.id and i.amount_until > l.principal_covered);
alter table loans alter column due_on set not null;
drop index loans_due;
create index loans_due on loans (due_on, borrower_id) where status = 'TO_REPAY';

drop function loan_late_on(loans);
drop function loan_debit_since(loans);
drop function loan_due_on(loans);
