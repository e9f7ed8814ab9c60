-- Nobody is late who waits to be debited: of a mandate or, while debits are stopped, of a wallet.
create or replace function loan_debit_to_come(l loans) returns boolean language sql stable as $$
  select exists (select from payments p
    where p.loan_id = l.id and p.direction = 'IN' and p.payment_method <> 'SCT'
      and p.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT')
      and p.installment is not distinct from (select min(i.position) from loan_installments i
        where i.loan_id = l.id and i.amount_until > l.principal_repaid))
$$;
