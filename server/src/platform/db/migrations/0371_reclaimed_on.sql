-- The day before which a loan that owes nothing but reclaimed refunds is not due follows from its
-- movements, like everything else of them. It was written over the agreed day, and stayed there
-- when the refund came back; and installments did not know it.

alter table loans
  -- The value date of the oldest unpaid refund that is principal again, once nothing else is owed;
  -- verify recomputes.
  add column reclaimed_on date;
-- What it was until then, like what was agreed on.
alter table loan_past_terms add column reclaimed_on date;

-- What wrote it there was no agreement: nothing was amended at that moment.
create temporary table overwritten on commit drop as
  select distinct on (l.id) l.id as loan_id, t.to_repay_on as agreed_on,
    l.to_repay_on as refunded_on, t.until, l.reclaimed_known_on is not null as still
  from loans l join loan_past_terms t on t.loan_id = l.id and t.to_repay_on < l.to_repay_on
  where exists (select from loan_movements m
      where m.loan_id = l.id and m.kind = 'REFUND' and m.value_on = l.to_repay_on)
    and not exists (select from state_changes c where c.resource = 'loan'
      and c.resource_id = l.id and c.trigger = 'amend' and c.at = t.until)
  order by l.id, t.until desc, t.id desc;
update loan_past_terms t set to_repay_on = o.agreed_on, reclaimed_on = o.refunded_on
from overwritten o
where t.loan_id = o.loan_id and t.until > o.until and t.to_repay_on = o.refunded_on;
update loans l
set to_repay_on = o.agreed_on, reclaimed_on = case when o.still then o.refunded_on end
from overwritten o where l.id = o.loan_id;

-- The day on which a loan is due as a whole.
alter table loans add column falls_due_on date not null
  generated always as (greatest(to_repay_on, reclaimed_on)) stored;
drop index loans_to_repay;
create index loans_to_repay on loans (partner_id, falls_due_on, id);
drop index loans_due;
create index loans_due on loans (falls_due_on, borrower_id) where status = 'TO_REPAY';

-- The day on which the oldest unpaid part of a loan falls due: of reclaimed refunds no earlier than
-- they were paid.
create or replace function loan_due_on(l loans) returns date language sql stable as $$
  select greatest(coalesce((select min(i.due_on) from loan_installments i
    where i.loan_id = l.id and i.amount_until > l.principal_repaid), l.to_repay_on), l.reclaimed_on)
$$;
