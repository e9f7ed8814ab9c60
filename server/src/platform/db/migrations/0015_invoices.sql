-- Invoices that loans are drawn on.

create table invoices (
  id uuid not null,
  partner_id uuid not null references partners,
  -- What a draft or an unread upload lacks is null.
  seller_id uuid,
  buyer_id uuid,
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
  -- The total that the document shows, in cents; null where none can be read.
  document_total bigint,
  -- The currency that an invoice's document shows: EUR, GBP, OTHER; null where it shows none.
  document_currency text check (document_currency in ('EUR', 'GBP', 'OTHER')),
  is_draft boolean not null,
  document_id uuid,
  metadata jsonb not null,
  created_at timestamptz not null,
  foreign key (partner_id, seller_id) references counterparties,
  foreign key (partner_id, buyer_id) references counterparties,
  foreign key (partner_id, document_id) references documents
);
create index invoices_status on invoices (partner_id, status, id);
create index invoices_seller on invoices (partner_id, seller_id, id);
create index invoices_buyer on invoices (partner_id, buyer_id, id);
create index invoices_number on invoices (upper(invoice_number)) where invoice_number is not null;
-- Those that wait, for who looks at them.
create index invoices_waiting on invoices (id) where status = 'SUBMITTED';
-- Last: of indexes that cost the same, as long as there is next to nothing, plans take the newest.
alter table invoices add primary key (partner_id, id);
