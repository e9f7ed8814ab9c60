-- A line that takes back what nobody had paid settles older lines without money: it says so as they
-- do, and no longer counts as paid below zero.
update bill_lines l set credited = least(0, l.paid + (
  select coalesce(sum(m.amount), 0) from loan_movements m
  where m.credit_bill_id = l.bill_id and m.loan_id = l.loan_id and m.kind = 'CREDIT'
    and m.voided_at is null))
from bills b
where b.id = l.bill_id and b.status <> 'INVALID' and l.amount < 0;
