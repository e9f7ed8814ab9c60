-- The books, in double entry. The database refuses unbalanced entries and later changes.

create function ledger_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: % on %', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end $$;

-- One statement inserts all postings of an entry, so the new rows show whether it balances. Entries
-- and accounts are never deleted, so one check on insert replaces foreign keys, which would
-- check and lock row by row. Sequential scans are off, because the plan is cached and may have been
-- made while the tables were empty.
create function ledger_refuse_unbalanced() returns trigger language plpgsql
set enable_seqscan = off as $$
declare wrong uuid;
begin
  select n.entry_id into wrong from new_postings n
    group by n.entry_id having sum(n.amount) <> 0 or count(*) < 2
      or (select e.id from ledger_entries e where e.id = n.entry_id) is null limit 1;
  if wrong is not null then
    raise exception 'ledger entry % is not there, or does not balance', wrong
      using errcode = 'check_violation';
  end if;
  select n.entry_id into wrong from new_postings n
    where (select a.id from ledger_accounts a where a.id = n.account_id) is null limit 1;
  if wrong is not null then
    raise exception 'an account that ledger entry % is posted on is not there', wrong
      using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;

create table ledger_accounts (
  id uuid primary key,
  code text not null,
  -- The loan, borrower, partner or referrer that owns the account; null for the lender.
  owner_id uuid,
  unique nulls not distinct (code, owner_id)
);
create trigger ledger_accounts_immutable before update or delete or truncate on ledger_accounts
  for each statement execute function ledger_refuse_change();

create table ledger_entries (
  id uuid primary key,
  kind text not null,
  -- The nil id for the lender.
  partner_id uuid not null,
  loan_id uuid,
  payment_id uuid,
  bill_id uuid,
  value_on date not null,
  booked_at timestamptz not null
);
create index ledger_entries_loan on ledger_entries (loan_id);
-- Finds the entries of a period. Both columns grow as rows are added, so a summary per range of
-- pages suffices and costs almost nothing.
create index ledger_entries_when on ledger_entries using brin (booked_at, value_on)
  with (pages_per_range = 32, autosummarize = on);
create trigger ledger_entries_immutable before update or delete or truncate on ledger_entries
  for each statement execute function ledger_refuse_change();

-- Amounts in cents: debits are positive, credits negative.
create table ledger_postings (
  entry_id uuid not null,
  line smallint not null,
  account_id uuid not null,
  amount bigint not null check (amount <> 0),
  primary key (entry_id, line)
);
create index ledger_postings_account on ledger_postings (account_id);
create trigger ledger_postings_balanced after insert on ledger_postings
  referencing new table as new_postings
  for each statement execute function ledger_refuse_unbalanced();
create trigger ledger_postings_immutable before update or delete or truncate on ledger_postings
  for each statement execute function ledger_refuse_change();

-- Running balances of accounts with an owner. The lender's own accounts are summed on demand: with
-- a row here, every booking would wait for a lock on it.
create table ledger_balances (
  account_id uuid primary key,
  amount bigint not null
);

-- Entries that are not in the hash chain yet. Sealing removes them from here.
create table ledger_unsealed (
  entry_id uuid primary key
);

create table ledger_seals (
  position bigint primary key,
  entry_id uuid not null unique references ledger_entries,
  hash text not null
);
create trigger ledger_seals_immutable before update or delete or truncate on ledger_seals
  for each statement execute function ledger_refuse_change();

-- Balances of the lender's own accounts up to the last sealed entry. Reads add the later postings.
create table ledger_sealed_balances (
  account_id uuid primary key references ledger_accounts,
  amount bigint not null
);

-- Debits and credits by partner, kind of account, booking date and value date, up to the last
-- sealed entry. Reads add the later postings. A trial balance sums these rows instead of all
-- postings.
create table ledger_turnovers (
  booked_on date not null,
  value_on date not null,
  partner_id uuid not null,
  code text not null,
  debit bigint not null,
  credit bigint not null,
  primary key (partner_id, booked_on, value_on, code)
);
