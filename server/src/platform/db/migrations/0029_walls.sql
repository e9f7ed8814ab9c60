-- Row-level security, the second barrier between partners. A transaction sees the partners it was
-- opened for; the service's own work sees all ('*'). Without the setting, no rows are visible.

create function may_see(partner uuid) returns boolean language sql stable parallel safe as $$
  select current_setting('headroom.partners', true) = '*'
    or strpos(coalesce(current_setting('headroom.partners', true), ''), partner::text) > 0
$$;

-- Tables with rows of partners, by module.
do $$
declare t text;
begin
  foreach t in array array[
    'state_changes',
    'event_snapshots', 'events', 'event_positions', 'events_unplaced',
    'callers', 'keys', 'idempotency_keys', 'acts',
    'document_bundles',
    'borrowers', 'owner_documents', 'compliance_checks', 'borrower_accounts', 'wallets',
    'mandates', 'repayment_methods', 'borrower_products', 'terms_acceptances',
    'data_batches', 'data_uploads', 'shared_accounts', 'shared_transactions', 'shared_invoices',
    'shared_activity',
    'credit_lines', 'limit_overrides', 'credit_assessments',
    'counterparties',
    'payments', 'payment_names', 'bank_orders', 'kill_switches',
    'partner_companies', 'partner_products',
    'invoices',
    'loans', 'loan_movements', 'loan_principal_steps', 'loan_installments', 'loan_past_terms',
    'write_offs', 'late_loans', 'loan_log', 'loan_documents', 'invoice_loans',
    'bills', 'bill_lines', 'partner_shares',
    'recollection_cases', 'recollection_case_loans', 'recollection_case_bills',
    'recollection_actions', 'recollection_interest_stops', 'installment_plans',
    'plan_installments', 'installment_parts', 'installment_shares', 'recollection_payouts',
    'subscriptions', 'subscription_fees', 'fee_payments',
    'repayment_terms', 'repayment_terms_loans', 'repay_links',
    'cards', 'card_orders', 'card_entries',
    'onboardings',
    'referrers', 'referral_codes', 'referrals', 'revenue_shares',
    'webhooks', 'webhook_deliveries',
    'decisions', 'decision_steps', 'decision_attempts', 'attempt_counts',
    'portfolio_days',
    'sandbox_companies', 'sandbox_cards',
    -- A partner's transaction sees only its own names. To find the partner of a name, the service
    -- reads the names of all.
    'directory']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy partner_wall on %I
      using (may_see(partner_id)) with check (may_see(partner_id))', t);
  end loop;
end $$;

-- Partners' transactions must see the kill switches that apply to all partners.
create policy for_all on kill_switches for select
  using (partner_id = '00000000-0000-0000-0000-000000000000');

-- The lender's operators act for every partner, so every partner's transactions can see them.
alter table operators enable row level security;
alter table operators force row level security;
create policy partner_wall on operators
  using (partner_id is null or may_see(partner_id))
  with check (current_setting('headroom.partners', true) = '*');

-- Only the service can see how operators sign in.
do $$
declare t text;
begin
  foreach t in array array['operator_secrets', 'sessions', 'sign_ins'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format($policy$create policy service_only on %I
      using (current_setting('headroom.partners', true) = '*')
      with check (current_setting('headroom.partners', true) = '*')$policy$, t);
  end loop;
end $$;
