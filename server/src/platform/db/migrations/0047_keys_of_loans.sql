-- Loans and the steps of their principal are keyed by their partner. Foreign keys look up the
-- primary key, which is created last, as in 0033_keys_of_fees_and_webhooks.sql.

alter table loan_principal_steps add partner_id uuid;
update loan_principal_steps s set partner_id = l.partner_id from loans l where l.id = s.loan_id;
alter table loan_principal_steps alter partner_id set not null,
  alter partner_id set (n_distinct = -0.00005),
  drop constraint loan_principal_steps_loan_id_fkey,
  drop constraint loan_principal_steps_pkey,
  add primary key (partner_id, loan_id, from_on);
alter table loan_principal_steps enable row level security;
alter table loan_principal_steps force row level security;
create policy partner_wall on loan_principal_steps
  using (may_see(partner_id)) with check (may_see(partner_id));
-- Until the first ANALYZE, as in 0030_statistics_from_the_start.sql.
do $$
begin
  if exists (select from pg_proc where proname = 'pg_restore_attribute_stats') then
    execute $call$select pg_restore_attribute_stats('schemaname', 'public',
      'relname', 'loan_principal_steps', 'attname', 'partner_id', 'inherited', false,
      'null_frac', 0::real, 'avg_width', 16, 'n_distinct', -0.00005::real)$call$;
  end if;
end
$$;

alter table documents drop constraint documents_partner_id_loan_id_fkey;
alter table payments drop constraint payments_partner_id_loan_id_fkey;
alter table loan_movements drop constraint loan_movements_partner_id_loan_id_fkey;
alter table loan_installments drop constraint loan_installments_partner_id_loan_id_fkey;
alter table loan_past_terms drop constraint loan_past_terms_partner_id_loan_id_fkey;
alter table write_offs drop constraint write_offs_partner_id_loan_id_fkey;
alter table late_loans drop constraint late_loans_partner_id_loan_id_fkey;
alter table loan_log drop constraint loan_log_partner_id_loan_id_fkey;
alter table loan_documents drop constraint loan_documents_partner_id_loan_id_fkey;
alter table invoice_loans drop constraint invoice_loans_partner_id_loan_id_fkey;
alter table partner_shares drop constraint partner_shares_partner_id_loan_id_fkey;
alter table recollection_case_loans
  drop constraint recollection_case_loans_partner_id_loan_id_fkey;
alter table installment_parts drop constraint installment_parts_partner_id_loan_id_fkey;
alter table repayment_terms_loans drop constraint repayment_terms_loans_partner_id_loan_id_fkey;
alter table card_entries drop constraint card_entries_partner_id_loan_id_fkey;
alter table loans drop constraint loans_pkey, drop constraint loans_partner_id_id_key,
  add primary key (partner_id, id);
alter table documents add foreign key (partner_id, loan_id) references loans;
alter table payments add foreign key (partner_id, loan_id) references loans;
alter table loan_movements add foreign key (partner_id, loan_id) references loans;
alter table loan_principal_steps add foreign key (partner_id, loan_id) references loans;
alter table loan_installments add foreign key (partner_id, loan_id) references loans;
alter table loan_past_terms add foreign key (partner_id, loan_id) references loans;
alter table write_offs add foreign key (partner_id, loan_id) references loans;
alter table late_loans add foreign key (partner_id, loan_id) references loans;
alter table loan_log add foreign key (partner_id, loan_id) references loans;
alter table loan_documents add foreign key (partner_id, loan_id) references loans;
alter table invoice_loans add foreign key (partner_id, loan_id) references loans;
alter table partner_shares add foreign key (partner_id, loan_id) references loans;
alter table recollection_case_loans add foreign key (partner_id, loan_id) references loans;
alter table installment_parts add foreign key (partner_id, loan_id) references loans;
alter table repayment_terms_loans add foreign key (partner_id, loan_id) references loans;
alter table card_entries add foreign key (partner_id, loan_id) references loans;

-- The jobs of loans name their partner.
update jobs j set data = j.data || jsonb_build_object('partner_id', l.partner_id)
from loans l
where j.name in ('prepare_loan', 'write_contract') and l.id = (j.data ->> 'loan_id')::uuid;
