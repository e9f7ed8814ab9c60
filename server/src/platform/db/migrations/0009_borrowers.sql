-- Products, and borrowers with their accounts, mandates, repayment methods and accepted terms.

-- What a product allows and costs. Operators can change some of these columns.
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
  -- Derived from repayment_handled_by and fees_mode when they are set.
  fees_payer text not null check (fees_payer in ('BORROWER', 'PARTNER')),
  currency text not null,
  line_days integer not null,
  -- TARGET days of notice for changing the date of a debit.
  change_notice_days integer not null,
  bill_due_banking_day integer not null,
  prenotification_days integer not null,
  reminder_days integer[] not null,
  -- The day past due on which a collections case opens.
  case_days integer not null,
  -- Days past due after which an unpaid bill blocks its borrower.
  bill_grace_days integer not null,
  suspense_days integer not null,
  -- Days' notice with which either side can end the agreement.
  notice_days integer not null,
  -- Cents per month while the product is used.
  monthly_fee bigint not null default 0 check (monthly_fee >= 0),
  -- The first day past due of each bucket, ascending. Default: 1 to 30, 31 to 60, 61 to 90, more.
  delinquency_days integer[] not null default '{1,31,61,91}'
    check (delinquency_days[1] = 1 and cardinality(delinquency_days) between 1 and 20),
  -- Younger companies receive no loans.
  company_age_months_min integer not null default 0 check (company_age_months_min >= 0)
);

insert into products (id, name, product_type, offered, rate_ppm, duration_days_min,
  duration_days_max, amount_max, late_grace_days, payout_cut_off, repayment_handled_by, fees_mode,
  fees_payer, currency, line_days, change_notice_days, bill_due_banking_day, prenotification_days,
  reminder_days, case_days, bill_grace_days, suspense_days, notice_days)
select id::uuid, name, product_type, offered, 500, 1,
  days_max, 20000000, 4, '15:00', 'SERVICE', 'CHARGED',
  'BORROWER', 'EUR', 365, 3, 3, 1,
  '{1,5,10}', 18, 7, 30, 60
from (values
  ('01900000-0000-7000-8000-000000000001', 'Wallet financing', 'WALLET_FINANCING', true, 45),
  ('01900000-0000-7000-8000-000000000002', 'Invoice financing', 'INVOICE_BASED_FINANCING', true,
    120),
  ('01900000-0000-7000-8000-000000000003', 'Inventory financing', 'INVENTORY_FINANCING', false, 90),
  ('01900000-0000-7000-8000-000000000004', 'Consolidation', 'FUNDING_OBLIGATION_CONSOLIDATION',
    false, 90),
  -- The loan of a card cycle runs for thirty days after the cycle's end.
  ('01900000-0000-7000-8000-000000000005', 'Card financing', 'CREDIT_CARD_FINANCING', false, 30))
  as p (id, name, product_type, offered, days_max);

create table product_changes (
  id uuid primary key,
  product_id uuid not null references products,
  changed_at timestamptz not null,
  changed_by text not null,
  reason text not null check (reason <> ''),
  before jsonb not null,
  after jsonb not null
);
create index product_changes_by_product on product_changes (product_id, id);
create trigger product_changes_immutable before update or delete or truncate
  on product_changes for each statement execute function history_is_kept();

create table borrowers (
  id uuid not null,
  partner_id uuid not null references partners,
  -- Identifies the company; equal for numbers that are known to belong to the same company.
  company_key text not null,
  identifier text not null,
  identifier_type text not null,
  country text not null check (country ~ '^[A-Z]{2}$'),
  entity_type text not null
    check (entity_type in ('COMPANY', 'SOLE_PROPRIETORSHIP', 'PARTNERSHIP', 'ASSOCIATION')),
  name text not null,
  legal_form text,
  vat_number text,
  address jsonb,
  -- The registry's data at creation. The registry status (active, insolvent since, created on) is
  -- updated later.
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
create index borrowers_signed on borrowers (partner_id, signed_at);
create index borrowers_identifier on borrowers (partner_id, identifier);
create index borrowers_blocked on borrowers (id) where status = 'BLOCKED';
-- Lists also search by VAT number, which does not always contain the company number.
create index borrowers_vat_number on borrowers (partner_id, vat_number);
-- Finds the few borrowers with a rare status.
create index borrowers_status on borrowers (partner_id, status, id);
-- Created last: in an almost empty table, all indexes cost the same and plans use the newest.
alter table borrowers add primary key (partner_id, id);

-- Identity documents of owners, kept out of the rows that are read with every borrower.
create table owner_documents (
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null,
  purpose text not null check (purpose in ('IDENTITY_FRONT', 'IDENTITY_BACK', 'CUSTOM')),
  filename text not null,
  description text,
  content bytea not null,
  created_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, borrower_id) references borrowers
);
alter table owner_documents alter column content set storage external;
create index owner_documents_borrower on owner_documents (partner_id, borrower_id);

create table compliance_checks (
  borrower_id uuid not null,
  partner_id uuid not null references partners,
  status text not null
    check (status in ('UNKNOWN', 'REVIEWING', 'APPROVED', 'REJECTED', 'PENDING_USER_ACTION')),
  updated_at timestamptz not null,
  primary key (partner_id, borrower_id),
  foreign key (partner_id, borrower_id) references borrowers
);
create index compliance_checks_status on compliance_checks (status, borrower_id);

create table borrower_accounts (
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null,
  account_name text,
  account_number text not null,
  account_number_type text not null,
  bank_identifier text not null,
  bank_identifier_type text not null,
  created_at timestamptz not null,
  primary key (partner_id, id),
  unique (borrower_id, account_number),
  foreign key (partner_id, borrower_id) references borrowers
);
create index borrower_accounts_number on borrower_accounts (account_number);

-- Whether the account belongs to another company. Reads across all partners; reveals only yes or
-- no.
create function account_of_another(number text, key text) returns boolean
language plpgsql volatile as $$
declare
  walls text := current_setting('headroom.partners', true);
  taken boolean;
begin
  perform set_config('headroom.partners', '*', true);
  select exists (select from borrower_accounts a
    join borrowers b on b.partner_id = a.partner_id and b.id = a.borrower_id
    where a.account_number = number and b.company_key <> key) into taken;
  perform set_config('headroom.partners', walls, true);
  return taken;
end $$;

-- Accounts of borrowers at the lender's bank, which can be debited for repayments.
create table wallets (
  -- Also the id of the wallet's row in borrower_accounts.
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null,
  account_number text not null,
  holder_name text not null,
  currency text not null check (currency = 'EUR'),
  metadata jsonb not null,
  created_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, borrower_id) references borrowers
);
create index wallets_borrower on wallets (borrower_id, id);

create table mandates (
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null,
  reference text not null,
  creditor_identifier text not null,
  scheme text not null check (scheme in ('CORE', 'B2B')),
  iban text not null,
  bic text not null,
  debtor_name text not null,
  signed_at timestamptz not null,
  status text not null check (status in ('NEW', 'PENDING_VALIDATION', 'READY', 'DEACTIVATED')),
  document_id uuid,
  last_used_on date,
  created_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, borrower_id) references borrowers
);
create index mandates_borrower on mandates (borrower_id);
create index mandates_unused on mandates (last_used_on) where status = 'READY';

create table repayment_methods (
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null,
  name text,
  payment_method text not null check (payment_method in ('DIRECT_DEBIT', 'SCT', 'P2P')),
  status text not null check (status in ('NEW', 'PENDING_VALIDATION', 'READY', 'DEACTIVATED')),
  is_main boolean not null,
  -- Whether to make it the main method once it is READY.
  main_when_ready boolean not null default false,
  -- Whether active loans change to it once it is READY.
  apply_when_ready boolean not null default false,
  from_account jsonb,
  mandate_id uuid,
  -- The wallet to debit; a direct debit has a mandate instead.
  wallet_id uuid,
  created_at timestamptz not null,
  primary key (partner_id, id),
  check ((payment_method = 'P2P') = (wallet_id is not null)),
  foreign key (partner_id, borrower_id) references borrowers,
  foreign key (partner_id, mandate_id) references mandates,
  foreign key (partner_id, wallet_id) references wallets
);
create index repayment_methods_borrower on repayment_methods (borrower_id, id);
create unique index repayment_methods_main on repayment_methods (borrower_id) where is_main;

create table borrower_products (
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null,
  product_id uuid not null references products,
  created_at timestamptz not null,
  primary key (partner_id, id),
  unique (borrower_id, product_id),
  foreign key (partner_id, borrower_id) references borrowers
);

create table terms_acceptances (
  borrower_id uuid not null,
  partner_id uuid not null references partners,
  version text not null,
  country text not null,
  language text not null,
  document_id uuid not null,
  accepted_at timestamptz not null,
  actor text not null,
  primary key (partner_id, borrower_id, version, language),
  foreign key (partner_id, borrower_id) references borrowers
);

alter table documents add foreign key (partner_id, borrower_id) references borrowers;
