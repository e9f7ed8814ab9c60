-- What of a loan's parts is not owed. While something is owed it is the rest of them, also where a
-- payout came back and only a refund is lent: its parts never ask for more.
alter table loans add column principal_covered bigint not null generated always as (
  case when principal_outstanding > 0 then amount - principal_outstanding
    else principal_repaid end) stored;

create or replace function loan_due_on(l loans) returns date language sql stable as $$
  select greatest(l.reclaimed_on, coalesce((select min(i.due_on) from loan_installments i
    where i.loan_id = l.id and i.amount_until > l.principal_covered), l.to_repay_on))
$$;

create or replace function loan_debit_since(l loans) returns date language sql stable as $$
  select debit_to_come_since(l.id, null, (select min(i.position) from loan_installments i
    where i.loan_id = l.id and i.amount_until > l.principal_covered), loan_due_on(l), 'infinity')
$$;
