-- Debits of a file have one creditor identifier. An order found faulty when its file is written is
-- refused then. A settlement on a statement is final: no later report changes it.

alter table file_bank_orders
  add column creditor_identifier text,
  add column settled_at timestamptz;
update file_bank_orders
  set creditor_identifier = content -> 'mandate' ->> 'creditor_identifier' where kind = 'SDD';
alter table file_bank_orders
  drop constraint file_bank_orders_check4,
  add check ((kind = 'SDD') = (creditor_identifier is not null)),
  add check (file_id is not null or num_nonnulls(answer, payee_check, settled_at) = 0),
  add check (rejected_at is null or num_nonnulls(file_id, refused_for) = 1);
