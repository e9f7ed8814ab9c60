-- Companies that borrow, their accounts, mandates, terms and credit lines.

create table borrowers (
  id uuid primary key,
  partner_id uuid not null references partners,
  -- The same company under any of its numbers has the same key.
  company_key text not null,
  identifier text not null,
  identifier_type text not null,
  country text not null check (country in ('FR', 'DE', 'ES', 'NL', 'BE')),
  entity_type text not null
    check (entity_type in ('COMPANY', 'SOLE_PROPRIETORSHIP', 'PARTNERSHIP', 'ASSOCIATION')),
  name text not null,
  legal_form text,
  vat_number text,
  address jsonb,
  -- What the registry said when the borrower was created.
  company jsonb not null,
  directors jsonb not null default '[]',
  owner jsonb,
  preferred_language text not null check (preferred_language in ('fr', 'de', 'es', 'nl', 'en')),
  business_email text,
  metadata jsonb not null default '{}',
  status text not null check (status in ('TO_SIGN', 'SIGNED', 'SDD_SETUP', 'ALL_PAYMENT_SETUP',
    'READY', 'BLOCKED', 'DEACTIVATED', 'PROHIBITED')),
  status_reason text,
  signed_at timestamptz,
  contract_document_id uuid,
  created_at timestamptz not null,
  unique (partner_id, company_key)
);
create index borrowers_page on borrowers (partner_id, id);
create index borrowers_signed on borrowers (partner_id, signed_at);
create index borrowers_identifier on borrowers (partner_id, identifier);

-- Identity documents of an owner, kept apart from what is read with every borrower.
create table owner_documents (
  id uuid primary key,
  partner_id uuid not null references partners,
  borrower_id uuid not null references borrowers,
  purpose text not null check (purpose in ('IDENTITY_FRONT', 'IDENTITY_BACK', 'CUSTOM')),
  filename text not null,
  description text,
  content bytea not null,
  created_at timestamptz not null
);
create index owner_documents_borrower on owner_documents (borrower_id);

create table compliance_checks (
  borrower_id uuid primary key references borrowers,
  partner_id uuid not null references partners,
  status text not null
    check (status in ('UNKNOWN', 'REVIEWING', 'APPROVED', 'REJECTED', 'PENDING_USER_ACTION')),
  updated_at timestamptz not null
);

create table borrower_accounts (
  id uuid primary key,
  partner_id uuid not null references partners,
  borrower_id uuid not null references borrowers,
  account_name text,
  account_number text not null,
  account_number_type text not null,
  bank_identifier text not null,
  bank_identifier_type text not null,
  created_at timestamptz not null,
  unique (borrower_id, account_number)
);
create index borrower_accounts_number on borrower_accounts (account_number);

create table mandates (
  id uuid primary key,
  partner_id uuid not null references partners,
  borrower_id uuid not null references borrowers,
  reference text not null unique,
  creditor_identifier text not null,
  scheme text not null check (scheme in ('CORE', 'B2B')),
  iban text not null,
  bic text not null,
  debtor_name text not null,
  signed_at timestamptz not null,
  status text not null check (status in ('NEW', 'PENDING_VALIDATION', 'READY', 'DEACTIVATED')),
  document_id uuid,
  last_used_on date,
  created_at timestamptz not null
);
create index mandates_borrower on mandates (borrower_id);
create index mandates_unused on mandates (last_used_on) where status = 'READY';

create table repayment_methods (
  id uuid primary key,
  partner_id uuid not null references partners,
  borrower_id uuid not null references borrowers,
  name text,
  payment_method text not null check (payment_method in ('DIRECT_DEBIT', 'SCT', 'P2P')),
  status text not null check (status in ('NEW', 'PENDING_VALIDATION', 'READY', 'DEACTIVATED')),
  is_main boolean not null,
  -- Asked to be the main one; it takes over once it is READY.
  main_when_ready boolean not null default false,
  -- Asked to replace the method of the loans that are running, likewise.
  apply_when_ready boolean not null default false,
  from_account jsonb,
  mandate_id uuid references mandates,
  created_at timestamptz not null
);
create index repayment_methods_borrower on repayment_methods (borrower_id, id);
create unique index repayment_methods_main on repayment_methods (borrower_id) where is_main;

-- What a product allows and costs: data, not code.
create table products (
  id uuid primary key,
  name text not null,
  product_type text not null unique,
  offered boolean not null,
  rate_ppm integer not null check (rate_ppm >= 0),
  duration_days_min integer not null,
  duration_days_max integer not null,
  amount_max bigint not null,
  late_grace_days integer not null,
  payout_cut_off time not null,
  repayment_handled_by text not null check (repayment_handled_by in ('SERVICE', 'PARTNER')),
  fees_mode text not null check (fees_mode in ('CHARGED', 'PASSED_ON', 'TRANSFERRED')),
  currency text not null,
  -- How long a credit line lasts.
  line_days integer not null,
  -- TARGET days that a change of a debit's date takes.
  change_notice_days integer not null,
  bill_due_banking_day integer not null,
  prenotification_days integer not null,
  reminder_days integer[] not null,
  -- Days late at which a recollection case opens.
  case_days integer not null,
  -- Days after its due date at which an unpaid bill suspends the borrower.
  bill_grace_days integer not null,
  suspense_days integer not null,
  -- Notice by which either side ends the agreement.
  notice_days integer not null
);

insert into products values
  ('01900000-0000-7000-8000-000000000001', 'Wallet financing', 'WALLET_FINANCING', true,
   500, 1, 45, 20000000, 4, '15:00', 'SERVICE', 'CHARGED', 'EUR', 365, 3, 3, 1, '{1,5,10}', 18,
   7, 30, 60);

create table borrower_products (
  id uuid primary key,
  partner_id uuid not null references partners,
  borrower_id uuid not null references borrowers,
  product_id uuid not null references products,
  created_at timestamptz not null,
  unique (borrower_id, product_id)
);

create table terms_acceptances (
  borrower_id uuid not null references borrowers,
  partner_id uuid not null references partners,
  version text not null,
  country text not null,
  language text not null,
  document_id uuid not null,
  accepted_at timestamptz not null,
  actor text not null,
  primary key (borrower_id, version, language)
);

create table credit_lines (
  id uuid primary key,
  partner_id uuid not null references partners,
  borrower_id uuid not null unique references borrowers,
  contract_number text not null unique,
  pool_amount bigint not null check (pool_amount between 0 and 20000000),
  -- Principal lent and not repaid. Kept beside the postings; verify compares.
  outstanding bigint not null default 0 check (outstanding >= 0),
  -- Principal promised: loans from submission to payout, repayments still revocable.
  reserved bigint not null default 0 check (reserved >= 0),
  starts_on date not null,
  ends_on date not null,
  signed_at timestamptz not null,
  -- What set the limit and under which rules, so that it can be replayed.
  scorecard_version text not null,
  inputs jsonb not null,
  created_at timestamptz not null
);
create index credit_lines_page on credit_lines (partner_id, id);
