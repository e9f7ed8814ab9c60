-- Loans that finance invoices, loans in installments, and what loan requests bring along.

insert into products values
  ('01900000-0000-7000-8000-000000000002', 'Invoice financing', 'INVOICE_BASED_FINANCING', true,
   500, 1, 120, 20000000, 4, '15:00', 'SERVICE', 'CHARGED', 'EUR', 365, 3, 3, 1, '{1,5,10}', 18,
   7, 30, 60),
  ('01900000-0000-7000-8000-000000000003', 'Inventory financing', 'INVENTORY_FINANCING', false,
   500, 1, 90, 20000000, 4, '15:00', 'SERVICE', 'CHARGED', 'EUR', 365, 3, 3, 1, '{1,5,10}', 18,
   7, 30, 60),
  ('01900000-0000-7000-8000-000000000004', 'Consolidation', 'FUNDING_OBLIGATION_CONSOLIDATION',
   false, 500, 1, 90, 20000000, 4, '15:00', 'SERVICE', 'CHARGED', 'EUR', 365, 3, 3, 1,
   '{1,5,10}', 18, 7, 30, 60),
  ('01900000-0000-7000-8000-000000000005', 'Card financing', 'CREDIT_CARD_FINANCING', false,
   500, 1, 45, 20000000, 4, '15:00', 'SERVICE', 'CHARGED', 'EUR', 365, 3, 3, 1, '{1,5,10}', 18,
   7, 30, 60);

-- Who was a borrower before has the new product too.
insert into borrower_products (id, partner_id, borrower_id, product_id, created_at)
select gen_random_uuid(), b.partner_id, b.id, '01900000-0000-7000-8000-000000000002', now()
from borrowers b;

-- Every loan on invoices has an account of its own: this counts them.
create sequence loan_accounts;
create unique index loans_own_account on loans (repayment_iban)
  where loan_type = 'INVOICE_BASED_FINANCING';

-- The order in which a loan names its invoices. One that is declined finances nothing of them.
alter table invoice_loans add column position integer not null default 1;
alter table invoice_loans drop constraint invoice_loans_amount_check;
alter table invoice_loans add constraint invoice_loans_amount_check check (amount >= 0);

-- Exactly what a part has of a sum that the whole has.
create function share_of(sum bigint, part bigint, whole bigint) returns numeric
language sql immutable as $$ select sum::numeric * part / whole $$;

-- What falls due when, of a loan that is repaid in installments.
create table loan_installments (
  loan_id uuid not null references loans,
  partner_id uuid not null references partners,
  position integer not null check (position > 0),
  due_on date not null,
  amount bigint not null check (amount > 0),
  -- The amounts up to and with this one: unpaid as long as less principal is repaid.
  amount_until bigint not null check (amount_until >= amount),
  primary key (loan_id, position)
);

-- Which installment a debit collects.
alter table payments add column installment integer;

-- The day on which the oldest unpaid part of a loan falls due.
create function loan_due_on(l loans) returns date language sql stable as $$
  select coalesce((select min(i.due_on) from loan_installments i
    where i.loan_id = l.id and i.amount_until > l.principal_repaid), l.to_repay_on)
$$;

-- Papers that came with a request, and what it said about them.
create table loan_documents (
  id uuid primary key,
  partner_id uuid not null references partners,
  loan_id uuid not null references loans,
  document_type text not null,
  document_name text,
  -- The company it is about: {identifier, identifier_type}.
  about_business jsonb,
  user_input jsonb not null,
  document_id uuid not null references documents,
  uploaded_at timestamptz not null
);
create index loan_documents_loan on loan_documents (loan_id, id);

-- Documents put together for one download.
create table document_bundles (
  id uuid primary key,
  partner_id uuid not null references partners,
  document_ids uuid[] not null,
  created_at timestamptz not null
);
create index document_bundles_created on document_bundles (created_at);

alter table documents add column media_type text not null default 'application/pdf';
alter table documents drop constraint documents_kind_check;
alter table documents add constraint documents_kind_check
  check (kind in ('TERMS', 'CONTRACT', 'MANDATE', 'BILL', 'INVOICE', 'LOAN_DOCUMENT'));

do $$
declare t text;
begin
  foreach t in array array['loan_installments', 'loan_documents', 'document_bundles'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy partner_wall on %I
      using (may_see(partner_id)) with check (may_see(partner_id))', t);
  end loop;
end $$;
