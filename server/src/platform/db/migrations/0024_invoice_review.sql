-- Invoices that one of the lender's people looks at before loans may be drawn on them.

-- Which of a partner's invoices wait: none, those that the service cannot check by itself, or all.
alter table partners add column invoice_review text not null default 'NONE'
  check (invoice_review in ('NONE', 'DOUBTFUL', 'ALL'));

-- The total that the document shows, in cents; null where none can be read.
alter table invoices add column document_total bigint;

-- Those that wait, for who looks at them.
create index invoices_waiting on invoices (id) where status = 'SUBMITTED';
