-- Money for an installment names what its plan repays as well: what the installment does not need
-- is for these loans and bills before any of it goes back.
with theirs as (select p.id as payment_id, p.partner_id, p.installment_id, i.plan_id,
    (select count(*) from payment_names n where n.payment_id = p.id) as names
  from payments p join plan_installments i on i.id = p.installment_id
  where p.direction = 'IN' and p.status = 'PAID' and p.charged_back_payment_id is null),
alone as (insert into payment_names (payment_id, position, partner_id, kind, named_id)
  select payment_id, 0, partner_id, 'installment', installment_id from theirs where names = 0)
insert into payment_names (payment_id, position, partner_id, kind, named_id)
select t.payment_id, greatest(t.names, 1) - 1
    + row_number() over (partition by t.payment_id order by d.kind desc, d.day, d.id),
  t.partner_id, d.kind, d.id
from theirs t
cross join lateral (
  select 'loan' as kind, l.id, l.paid_out_on as day from loans l where l.id in (
    select a.loan_id from installment_parts a join plan_installments s on s.id = a.installment_id
    where s.plan_id = t.plan_id)
  union all
  select 'bill', b.id, b.due_on from bills b where b.id in (
    select a.bill_id from installment_parts a join plan_installments s on s.id = a.installment_id
    where s.plan_id = t.plan_id)) d;
