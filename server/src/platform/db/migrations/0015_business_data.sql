-- What partners share of a company, and what the scorecard made of it. Data belong to a company,
-- not to a borrower: what came before it became one is used once it is.

create table data_batches (
  id uuid primary key,
  partner_id uuid not null references partners,
  company_key text not null,
  identifier text not null,
  identifier_type text not null,
  context text not null check (context in ('BORROWER_CREATION', 'DATA_REFRESH')),
  -- What the partner announced; compared with what came when the batch is closed.
  content jsonb not null,
  status text not null check (status in ('CREATED', 'CLOSING_SCHEDULED', 'CLOSING_IN_PROGRESS',
    'CLOSED', 'CANCELED')),
  created_at timestamptz not null
);
-- One at a time for a company.
create unique index data_batches_ongoing on data_batches (partner_id, company_key)
  where status in ('CREATED', 'CLOSING_SCHEDULED', 'CLOSING_IN_PROGRESS');

-- What came in a batch, as it will be written when the batch is closed.
create table data_uploads (
  id uuid primary key,
  partner_id uuid not null references partners,
  batch_id uuid not null references data_batches,
  kind text not null check (kind in ('accounts', 'account_transactions', 'invoices')),
  -- The period that transactions are told for, where one was named.
  from_at timestamptz,
  to_at timestamptz,
  rows jsonb not null,
  received_at timestamptz not null
);
create index data_uploads_batch on data_uploads (batch_id, id);

create table shared_accounts (
  partner_id uuid not null references partners,
  company_key text not null,
  -- The account's name with the partner.
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
  -- Its salt, or what it says and which of those that say the same it is: twice counts once.
  transaction_key text not null,
  account text,
  at timestamptz not null,
  -- Cents; what came in is above 0.
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
  -- Its direction, its number and its seller.
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

-- The rules that set limits, by version; the youngest of a mode is in force.
create table scorecards (
  version text primary key,
  mode text not null check (mode in ('sandbox', 'live')),
  in_force_from date not null,
  rules jsonb not null
);

-- Amounts are cents, shares parts per million. Of a rule's steps the last one reached counts; a
-- figure that is not known reaches none. `segments` name a company by its yearly turnover.
insert into scorecards values ('sandbox-2026-11', 'sandbox', '2026-01-01', '{
  "base": 5000000, "cap": 20000000,
  "windows": {"transactions_days": 180, "balance_days": 90, "invoices_days": 180,
    "activity_days": 365, "repayments_days": 730},
  "low_cash_below": 50000, "late_from_days": 5, "fresh_days": 90, "reassess_days": 30,
  "rules": [
    {"name": "turnover", "figure": "turnover_monthly", "steps": [
      {"from": 0, "adds": -2500000}, {"from": 500000, "adds": -1500000},
      {"from": 1500000, "adds": 0}, {"from": 3000000, "adds": 1500000},
      {"from": 6000000, "adds": 4000000}, {"from": 12000000, "adds": 8000000},
      {"from": 25000000, "adds": 12000000}]},
    {"name": "regular_income", "figure": "months_with_income", "steps": [
      {"from": 0, "adds": -1000000}, {"from": 1, "adds": 0}, {"from": 3, "adds": 500000},
      {"from": 6, "adds": 1000000}]},
    {"name": "cash", "figure": "balance_total", "steps": [
      {"from": -1000000000000, "adds": -1500000}, {"from": 0, "adds": -500000},
      {"from": 200000, "adds": 0}, {"from": 2000000, "adds": 1000000},
      {"from": 10000000, "adds": 2500000}]},
    {"name": "low_cash", "figure": "low_cash_days", "steps": [
      {"from": 5, "adds": -500000}, {"from": 15, "adds": -1500000}]},
    {"name": "overdue_invoices", "figure": "overdue_ppm", "steps": [
      {"from": 200000, "adds": -500000}, {"from": 500000, "adds": -1500000}]},
    {"name": "repaid_on_time", "figure": "repaid_on_time_amount", "steps": [
      {"from": 20000000, "adds": 1000000}, {"from": 50000000, "adds": 2500000}]},
    {"name": "repaid_late", "figure": "repaid_late", "steps": [
      {"from": 1, "adds": -1000000}, {"from": 3, "adds": -2500000}]}],
  "segments": [
    {"segment": "CAT1", "turnover_from": 0}, {"segment": "CAT2", "turnover_from": 200000000},
    {"segment": "CAT3", "turnover_from": 1000000000},
    {"segment": "CAT4", "turnover_from": 5000000000}]
}');
insert into scorecards select 'live-2026-11', 'live', '2026-01-01',
  rules || jsonb_build_object('base', 500000, 'rules', '[
    {"name": "age", "figure": "age_days", "steps": [
      {"from": 365, "adds": 500000}, {"from": 1095, "adds": 1500000},
      {"from": 1825, "adds": 2500000}]},
    {"name": "share_capital", "figure": "share_capital", "steps": [
      {"from": 1000000, "adds": 500000}, {"from": 5000000, "adds": 1500000},
      {"from": 10000000, "adds": 2500000}]}]'::jsonb || (rules->'rules'))
  from scorecards;

-- Every limit that was ever set: why, by which rules, from what. Never changed.
create table credit_assessments (
  id uuid primary key,
  partner_id uuid not null references partners,
  credit_line_id uuid not null references credit_lines,
  cause text not null
    check (cause in ('CREATION', 'DATA_SHARED', 'REPAYMENT', 'RENEWAL')),
  scorecard_version text not null references scorecards,
  inputs jsonb not null,
  -- What each rule added or took.
  steps jsonb not null,
  pool_amount bigint not null check (pool_amount >= 0),
  ends_on date not null,
  assessed_at timestamptz not null
);
create index credit_assessments_line on credit_assessments (credit_line_id, id);

create function assessments_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: %', tg_table_name, tg_op using errcode = 'restrict_violation';
end $$;
create trigger credit_assessments_immutable before update or delete on credit_assessments
  for each statement execute function assessments_refuse_change();

-- The rules before these, so that the limits they set can still be replayed.
insert into scorecards
  select replace(version, '11', '07'), mode, '2025-01-01', jsonb_set(rules, '{rules}',
    case mode when 'sandbox' then '[]' else jsonb_path_query_array(rules, '$.rules[0 to 1]') end)
  from scorecards;
insert into credit_assessments
  select id, partner_id, id, 'CREATION', scorecard_version, inputs, '[]', pool_amount, ends_on,
    created_at
  from credit_lines;

alter table credit_lines
  drop column scorecard_version,
  drop column inputs,
  -- When its limit was last looked at.
  add column assessed_on date;
update credit_lines set assessed_on = starts_on;
alter table credit_lines alter column assessed_on set not null;
create index credit_lines_assessed on credit_lines (assessed_on);

-- What a line was at a moment is what was told of it last before: found by the line.
create index events_credit_line on events (resource_id, id) where type like 'CreditLi%';

do $$
declare t text;
begin
  foreach t in array array['data_batches', 'data_uploads', 'shared_accounts',
    'shared_transactions', 'shared_invoices', 'shared_activity', 'credit_assessments']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy partner_wall on %I
      using (may_see(partner_id)) with check (may_see(partner_id))', t);
  end loop;
end $$;
