-- The second wall: a transaction sees the partners it was opened for, or all ('*') when it is
-- the service's own work. Unset means none.

create function may_see(partner uuid) returns boolean language sql stable as $$
  select current_setting('headroom.partners', true) = '*'
    or strpos(coalesce(current_setting('headroom.partners', true), ''), partner::text) > 0
$$;

do $$
declare t text;
begin
  foreach t in array array['borrowers', 'compliance_checks', 'borrower_accounts', 'mandates',
    'owner_documents',
    'repayment_methods', 'borrower_products', 'terms_acceptances', 'credit_lines', 'loans',
    'loan_movements', 'loan_log', 'payments', 'bills', 'webhooks', 'webhook_deliveries',
    'state_changes', 'events', 'idempotency_keys', 'callers', 'keys']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy partner_wall on %I
      using (may_see(partner_id)) with check (may_see(partner_id))', t);
  end loop;
end $$;

-- One question over all walls, answered with yes or no: is this account another company's?
create function account_of_another(number text, key text) returns boolean
language plpgsql volatile as $$
declare
  walls text := current_setting('headroom.partners', true);
  taken boolean;
begin
  perform set_config('headroom.partners', '*', true);
  select exists (select from borrower_accounts a join borrowers b on b.id = a.borrower_id
    where a.account_number = number and b.company_key <> key) into taken;
  perform set_config('headroom.partners', walls, true);
  return taken;
end $$;
