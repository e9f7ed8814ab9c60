-- Invoices and the companies on them.

-- Who a partner's borrowers trade with. The same company under any of its numbers is one.
create table counterparties (
  id uuid primary key,
  partner_id uuid not null references partners,
  -- As of borrowers; for a company known by its name alone, NAME: and the name.
  company_key text not null,
  identifier text not null,
  identifier_type text not null,
  -- Null when only the name is known.
  country text,
  name text not null,
  vat_number text,
  address jsonb,
  contact jsonb,
  relation_types text[] not null check (cardinality(relation_types) > 0),
  selected_for_financing boolean not null,
  -- The most that loans on this company's invoices may come to, and why it is not more.
  max_amount bigint not null check (max_amount >= 0),
  max_amount_details text,
  -- What set the limit and under which rules.
  limit_version text not null,
  limit_inputs jsonb not null,
  created_at timestamptz not null,
  unique (partner_id, company_key)
);
create index counterparties_page on counterparties (partner_id, id);

create table invoices (
  id uuid primary key,
  partner_id uuid not null references partners,
  -- What a draft or an unread upload lacks is null.
  seller_id uuid references counterparties,
  buyer_id uuid references counterparties,
  invoice_number text,
  currency text not null,
  issued_on date,
  due_on date,
  net_amount bigint,
  tax_amount bigint,
  total_amount bigint,
  to_pay_amount bigint,
  -- Where the seller wants to be paid.
  to_account jsonb,
  status text not null check (status in
    ('TO_SUBMIT', 'SUBMITTED', 'TO_EDIT', 'VERIFIED', 'DECLINED', 'PAID', 'DELETED')),
  status_reason text,
  -- Fields that must be given or corrected before it can be verified, each with the reason.
  to_edit jsonb not null,
  -- Whether the document reads like an invoice; null when it has no text.
  document_is_invoice boolean,
  is_draft boolean not null,
  document_id uuid references documents,
  metadata jsonb not null,
  created_at timestamptz not null
);
create index invoices_page on invoices (partner_id, id);
create index invoices_status on invoices (partner_id, status, id);
create index invoices_seller on invoices (seller_id, id);
create index invoices_buyer on invoices (buyer_id, id);
create index invoices_number on invoices (upper(invoice_number)) where invoice_number is not null;

-- Which loan finances how much of which invoice.
create table invoice_loans (
  invoice_id uuid not null references invoices,
  loan_id uuid not null references loans,
  partner_id uuid not null references partners,
  amount bigint not null check (amount > 0),
  primary key (invoice_id, loan_id)
);
create index invoice_loans_loan on invoice_loans (loan_id);

alter table documents drop constraint documents_kind_check;
alter table documents add constraint documents_kind_check
  check (kind in ('TERMS', 'CONTRACT', 'MANDATE', 'BILL', 'INVOICE'));

do $$
declare t text;
begin
  foreach t in array array['counterparties', 'invoices', 'invoice_loans'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy partner_wall on %I
      using (may_see(partner_id)) with check (may_see(partner_id))', t);
  end loop;
end $$;

-- One question over all walls, answered with yes or no: does a loan of another partner finance
-- this invoice of this company already?
create function invoice_financed_elsewhere(partner uuid, key text, number text) returns boolean
language plpgsql volatile as $$
declare
  walls text := current_setting('headroom.partners', true);
  taken boolean;
begin
  perform set_config('headroom.partners', '*', true);
  select exists (select from invoices i
    join counterparties c on c.id = i.seller_id
    join invoice_loans f on f.invoice_id = i.id
    join loans l on l.id = f.loan_id
    where upper(i.invoice_number) = upper(number) and c.company_key = key
      and i.partner_id <> partner and l.status not in ('DECLINED', 'CANCELED', 'DELETED'))
    into taken;
  perform set_config('headroom.partners', walls, true);
  return taken;
end $$;
