-- Invoices that loans finance.

create table invoices (
  id uuid not null,
  partner_id uuid not null references partners,
  -- Null where a draft lacks the value, or none could be read from the document.
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
  -- The account to which the seller wants to be paid.
  to_account jsonb,
  status text not null check (status in
    ('TO_SUBMIT', 'SUBMITTED', 'TO_EDIT', 'VERIFIED', 'DECLINED', 'PAID', 'DELETED')),
  status_reason text,
  -- Fields to add or correct before the invoice can be verified, each with the reason.
  to_edit jsonb not null,
  -- Whether the document reads like an invoice; null when it has no text.
  document_is_invoice boolean,
  -- The total that the document shows, in cents; null if none can be read.
  document_total bigint,
  -- The currency that the document shows; null if it shows none.
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
-- Invoices that wait for a review.
create index invoices_waiting on invoices (id) where status = 'SUBMITTED';
-- Created last: in an almost empty table, all indexes cost the same and plans use the newest.
alter table invoices add primary key (partner_id, id);
