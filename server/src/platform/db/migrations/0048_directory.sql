-- Names that are unique over all partners, and the rows that they name: a table that carries its
-- partner in every key cannot hold such a name unique itself. Of kinds and columns,
-- platform/db/directory.ts is the list.

create table directory (
  kind text not null check (kind in ('account', 'authorization', 'bill_number', 'card',
    'card_transaction', 'contract', 'key', 'mandate', 'order', 'reference')),
  value text not null,
  partner_id uuid not null references partners,
  id uuid not null,
  primary key (kind, value)
);

insert into directory (kind, value, partner_id, id)
select 'account', account_number, partner_id, id from wallets
union all select 'account', repayment_iban, partner_id, id from loans
  where loan_type = 'INVOICE_BASED_FINANCING'
union all select 'authorization', authorization_ref, partner_id, id from card_entries
  where authorization_ref is not null
union all select 'bill_number', invoice_number, partner_id, id from bills
  where invoice_number is not null
union all select 'card', provider_card_id, partner_id, id from cards
  where provider_card_id is not null
union all select 'card_transaction', transaction_ref, partner_id, id from card_entries
  where transaction_ref is not null
union all select 'contract', contract_number, partner_id, id from credit_lines
union all select 'key', hash, partner_id, id from keys
union all select 'mandate', reference, partner_id, id from mandates
union all select 'order', id::text, partner_id, id from payments
union all select 'reference', repayment_reference, partner_id, id from loans
union all select 'reference', reference, partner_id, id from bills
union all select 'reference', reference, partner_id, id from installment_plans
union all select 'reference', reference, partner_id, id from plan_installments
union all select 'reference', reference, partner_id, id from subscription_fees
  where reference is not null
union all select 'reference', reference, partner_id, id from repayment_terms;

-- A partner's transaction enters and finds its own names. Where a name has to tell the partner, the
-- service reads all partners' names.
alter table directory enable row level security;
alter table directory force row level security;
create policy partner_wall on directory
  using (may_see(partner_id)) with check (may_see(partner_id));

alter table wallets drop constraint wallets_account_number_key;
alter table mandates drop constraint mandates_reference_key;
alter table credit_lines drop constraint credit_lines_contract_number_key;
alter table loans drop constraint loans_repayment_reference_key;
drop index loans_own_account;
alter table bills drop constraint bills_invoice_number_key, drop constraint bills_reference_key;
alter table installment_plans drop constraint installment_plans_reference_key;
alter table plan_installments drop constraint plan_installments_reference_key;
alter table subscription_fees drop constraint subscription_fees_reference_key;
alter table repayment_terms drop constraint repayment_terms_reference_key;
alter table cards drop constraint cards_provider_card_id_key;
alter table keys drop constraint keys_hash_key;
-- News of a card finds its own entries, also those of the same transaction.
alter table card_entries drop constraint card_entries_authorization_ref_key,
  drop constraint card_entries_transaction_ref_key;
create unique index card_entries_authorization_ref on card_entries (partner_id, authorization_ref)
  where authorization_ref is not null;
create unique index card_entries_transaction_ref on card_entries (partner_id, transaction_ref)
  where transaction_ref is not null;

create or replace function key_holder(wanted text)
returns table (key_id uuid, partner_id uuid, caller_id uuid, actor text, scopes text[],
  version text, partner_suspended boolean, people_need_decisions boolean, use_unseen boolean)
language plpgsql volatile as $$
declare
  walls text := coalesce(current_setting('headroom.partners', true), '');
begin
  perform set_config('headroom.partners', '*', true);
  return query
    select k.id, k.partner_id, k.caller_id, c.actor, k.scopes, k.version,
      p.status = 'SUSPENDED', p.people_need_decisions,
      coalesce(k.last_used_at < now() - interval '1 minute', true)
    from directory d join keys k on k.partner_id = d.partner_id and k.id = d.id
    join callers c on c.partner_id = k.partner_id and c.id = k.caller_id
    join partners p on p.id = k.partner_id
    where d.kind = 'key' and d.value = wanted and k.revoked_at is null
      and coalesce(k.expires_at > now(), true);
  perform set_config('headroom.partners', walls, true);
end $$;
