-- A debit that is still to come excuses a loan or a bill only where it was planned in time: since
-- when it has been to come is what lateness and its reports look at, now or at an earlier moment.

create function payment_status_at(p payments, as_of timestamptz) returns text
language sql stable as $$
  select case when p.updated_at < as_of then p.status else (
    select c.to_status from state_changes c
    where c.resource_id = p.id and c.at < as_of order by c.id desc limit 1) end
$$;

-- The day since which, without a gap, a debit of a loan's part or of a bill has been to come: one
-- in the place of another that was taken back has the day of that. Null when none is to come, or
-- when one for what fell due on that day or later failed or came back.
create function debit_to_come_since(
  of_loan uuid, of_bill uuid, part integer, fell_due_on date, as_of timestamptz
) returns date language sql stable as $$
  with debits as (
    select p.id, p.created_at, p.updated_at, p.scheduled_on, s.status,
      s.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT') as to_come
    from payments p, payment_status_at(p, as_of) as s (status)
    where (p.loan_id = of_loan or p.bill_id = of_bill) and p.direction = 'IN'
      and p.payment_method <> 'SCT' and p.installment is not distinct from part
      and p.created_at < as_of)
  select (max(d.created_at) filter (where not exists (select from debits e
      where e.created_at < d.created_at
        and (e.to_come or e.status = 'CANCELED' and e.updated_at >= d.created_at)))
    at time zone 'Europe/Paris')::date
  from debits d
  having bool_or(d.to_come) and not bool_or(d.scheduled_on >= fell_due_on
    and (d.status = 'FAILED' or exists (select from payments c
      where c.charged_back_payment_id = d.id and c.created_at < as_of)))
$$;

-- The same of what a loan owes next, as of now.
create function loan_debit_since(l loans) returns date language sql stable as $$
  select debit_to_come_since(l.id, null, (select min(i.position) from loan_installments i
    where i.loan_id = l.id and i.amount_until > l.principal_repaid), loan_due_on(l), 'infinity')
$$;

drop function loan_debit_to_come(loans);
