-- The books: double entry. The database refuses what does not balance and any later change.

create table ledger_accounts (
  id uuid primary key,
  code text not null,
  -- The loan, borrower or partner an account belongs to; null for the lender's own.
  owner_id uuid,
  unique nulls not distinct (code, owner_id)
);

create table ledger_entries (
  id uuid primary key,
  kind text not null,
  partner_id uuid,
  loan_id uuid,
  payment_id uuid,
  bill_id uuid,
  value_on date not null,
  booked_at timestamptz not null,
  reverses_entry_id uuid references ledger_entries
);
create index ledger_entries_loan on ledger_entries (loan_id);

-- Debit positive, credit negative, in cents.
create table ledger_postings (
  entry_id uuid not null references ledger_entries,
  line smallint not null,
  account_id uuid not null references ledger_accounts,
  amount bigint not null check (amount <> 0),
  primary key (entry_id, line)
);
create index ledger_postings_account on ledger_postings (account_id);

-- Running balances of accounts that have an owner. The lender's own accounts are summed when
-- asked: a row each would be one lock for the whole house.
create table ledger_balances (
  account_id uuid primary key references ledger_accounts,
  amount bigint not null
);

create table ledger_seals (
  position bigint primary key,
  entry_id uuid not null unique references ledger_entries,
  hash text not null
);

-- The short tail that is not chained yet; the sealer empties it.
create table ledger_unsealed (
  entry_id uuid primary key references ledger_entries
);

-- All postings of an entry come in one statement, so balance can be told from the new rows.
create function ledger_refuse_unbalanced() returns trigger language plpgsql as $$
declare wrong uuid;
begin
  select n.entry_id into wrong from new_postings n
    group by n.entry_id having sum(n.amount) <> 0 or count(*) < 2 limit 1;
  if wrong is not null then
    raise exception 'ledger entry % does not balance', wrong using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger ledger_postings_balanced after insert on ledger_postings
  referencing new table as new_postings
  for each statement execute function ledger_refuse_unbalanced();

create function ledger_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: % on %', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end $$;
create trigger ledger_entries_immutable before update or delete or truncate on ledger_entries
  for each statement execute function ledger_refuse_change();
create trigger ledger_postings_immutable before update or delete or truncate on ledger_postings
  for each statement execute function ledger_refuse_change();
create trigger ledger_seals_immutable before update or delete or truncate on ledger_seals
  for each statement execute function ledger_refuse_change();
create trigger ledger_accounts_immutable before update on ledger_accounts
  for each statement execute function ledger_refuse_change();
