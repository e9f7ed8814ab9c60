-- A refund names the payment that it sends back in the fold of its loan, too: what others have
-- paid bills too much is theirs, and covers no refund. The next business day folds loans with
-- refunds again.
alter table loan_movements add column refunded_payment_id uuid references payments (id);
update loan_movements m set refunded_payment_id = p.refunded_payment_id
from payments p where m.kind = 'REFUND' and p.id = m.payment_id;
alter table loan_movements add constraint loan_movements_refund_names_payment
  check (kind = 'REFUND' or refunded_payment_id is null);
update loans l set fold_outdated = true
where exists (select from loan_movements m
  where m.loan_id = l.id and m.kind = 'REFUND' and m.voided_at is null);
