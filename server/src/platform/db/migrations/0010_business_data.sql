-- Data that partners share about companies.

-- Data belongs to a company: it can be shared before the company becomes a borrower.
create table data_batches (
  id uuid not null,
  partner_id uuid not null references partners,
  company_key text not null,
  identifier text not null,
  identifier_type text not null,
  context text not null check (context in ('BORROWER_CREATION', 'DATA_REFRESH')),
  -- What the partner announced; compared with the uploads when the batch is closed.
  content jsonb not null,
  status text not null check (status in ('CREATED', 'CLOSING_SCHEDULED', 'CLOSING_IN_PROGRESS',
    'CLOSED', 'CANCELED')),
  created_at timestamptz not null,
  primary key (partner_id, id)
);
-- A company has at most one open batch per partner.
create unique index data_batches_ongoing on data_batches (partner_id, company_key)
  where status = 'CREATED';

-- Data uploaded to a batch, in the form in which it is stored when the batch is closed.
create table data_uploads (
  id uuid not null,
  partner_id uuid not null references partners,
  batch_id uuid not null,
  kind text not null check (kind in ('accounts', 'account_transactions', 'invoices')),
  -- The period that the transactions cover; null where the partner stated none.
  from_at timestamptz,
  to_at timestamptz,
  rows jsonb not null,
  received_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, batch_id) references data_batches
);
create index data_uploads_batch on data_uploads (partner_id, batch_id, id);

create table shared_accounts (
  partner_id uuid not null references partners,
  company_key text not null,
  account_id text not null,
  account_name text,
  account_number text,
  account_number_type text,
  bank_identifier text,
  bank_identifier_type text,
  provider text,
  amount bigint not null,
  last_updated_at timestamptz not null,
  received_at timestamptz not null,
  primary key (partner_id, company_key, account_id)
);

create table shared_transactions (
  partner_id uuid not null references partners,
  company_key text not null,
  -- The client reference. Without one, a hash of the content and a number that tells identical
  -- transactions of one request apart, so that a transaction shared twice counts once.
  transaction_key text not null,
  account text,
  at timestamptz not null,
  -- Cents; positive for incoming money.
  amount bigint not null,
  currency text not null,
  category text,
  counterparty_name text,
  operation_type text,
  provider text,
  reference text,
  settled_balance bigint,
  state text not null check (state in ('completed', 'declined', 'deleted', 'pending')),
  received_at timestamptz not null,
  primary key (partner_id, company_key, transaction_key)
);
create index shared_transactions_at on shared_transactions (partner_id, company_key, at)
  include (amount, settled_balance, state, currency, operation_type);

create table shared_invoices (
  partner_id uuid not null references partners,
  company_key text not null,
  -- The client reference, or else a hash of direction, number and seller.
  invoice_key text not null,
  direction text not null check (direction in ('receivable', 'payable')),
  invoice_number text not null,
  buyer jsonb not null,
  seller jsonb not null,
  currency text not null,
  issued_at timestamptz not null,
  due_at timestamptz not null,
  first_payment_at timestamptz,
  last_payment_at timestamptz,
  payment_method text,
  net_amount bigint not null,
  tax_amount bigint,
  total_amount bigint not null,
  to_pay_amount bigint not null,
  received_at timestamptz not null,
  primary key (partner_id, company_key, invoice_key)
);

create table shared_activity (
  partner_id uuid not null references partners,
  company_key text not null,
  kind text not null check (kind in ('ACCOUNTING', 'SALES', 'PLATFORM')),
  from_on date not null,
  to_on date not null check (to_on >= from_on),
  amount bigint not null,
  count bigint not null check (count >= 0),
  received_at timestamptz not null,
  primary key (partner_id, company_key, kind, from_on, to_on)
);
