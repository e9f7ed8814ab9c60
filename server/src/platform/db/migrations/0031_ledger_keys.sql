-- Adds the partner to the keys of the ledger. A posting has its entry's partner, an account its
-- owner's. The lender's own accounts have the nil id, and entries of any partner may be posted on
-- them. One chain of seals covers all partners.

alter table ledger_accounts rename to old_accounts;
alter table ledger_postings rename to old_postings;
alter table ledger_balances rename to old_balances;
alter table ledger_unsealed rename to old_unsealed;
alter table ledger_seals rename to old_seals;
alter table ledger_sealed_balances rename to old_sealed_balances;

create table ledger_accounts (
  id uuid not null,
  partner_id uuid not null,
  code text not null,
  -- The loan, borrower, partner or referrer that owns the account; null for the lender.
  owner_id uuid
);

-- Amounts in cents: debits are positive, credits negative.
create table ledger_postings (
  partner_id uuid not null,
  entry_id uuid not null,
  line smallint not null,
  account_id uuid not null,
  amount bigint not null check (amount <> 0)
);

-- Running balances of accounts with an owner. The lender's own accounts are summed on demand: with
-- a row here, every booking would wait for a lock on it.
create table ledger_balances (
  partner_id uuid not null,
  account_id uuid not null,
  amount bigint not null
);

-- Entries that are not in the hash chain yet. Sealing removes them from here.
create table ledger_unsealed (
  partner_id uuid not null,
  entry_id uuid not null
);

create table ledger_seals (
  position bigint not null,
  partner_id uuid not null,
  entry_id uuid not null,
  hash text not null
);

-- Balances of the lender's own accounts up to the last sealed entry. Reads add the later postings.
create table ledger_sealed_balances (
  partner_id uuid not null,
  account_id uuid not null,
  amount bigint not null
);

insert into ledger_postings (partner_id, entry_id, line, account_id, amount)
select e.partner_id, p.entry_id, p.line, p.account_id, p.amount
from old_postings p join ledger_entries e on e.id = p.entry_id order by p.entry_id, p.line;

-- An account is opened for its first posting, so an account with an owner gets the partner of its
-- postings.
insert into ledger_accounts (id, partner_id, code, owner_id)
select a.id, coalesce(n.partner_id, '00000000-0000-0000-0000-000000000000'), a.code, a.owner_id
from old_accounts a
left join (select account_id, max(partner_id::text)::uuid as partner_id from ledger_postings
  group by account_id) n on n.account_id = a.id and a.owner_id is not null
where a.owner_id is null or n.account_id is not null order by a.id;

do $$
declare wrong record;
begin
  select p.entry_id, p.account_id into wrong from old_postings p
  left join ledger_entries e on e.id = p.entry_id
  left join ledger_accounts a on a.id = p.account_id
  where e.id is null or a.id is null
    or a.owner_id is not null and a.partner_id <> e.partner_id limit 1;
  if found then
    raise exception 'entry % cannot be posted on account %: one of them is not there, or they '
      'belong to two partners', wrong.entry_id, wrong.account_id;
  end if;
  select o.id, o.code, o.owner_id into wrong from old_accounts o
  left join ledger_accounts a on a.id = o.id
    and a.partner_id <> '00000000-0000-0000-0000-000000000000'
  where o.owner_id is not null and a.id is null limit 1;
  if found then
    raise exception 'account % (% of %) belongs to no partner, because no entry of a partner is '
      'posted on it', wrong.id, wrong.code, wrong.owner_id;
  end if;
end $$;

insert into ledger_balances (partner_id, account_id, amount)
select a.partner_id, b.account_id, b.amount
from old_balances b join ledger_accounts a on a.id = b.account_id order by b.account_id;

insert into ledger_unsealed (partner_id, entry_id)
select e.partner_id, u.entry_id from old_unsealed u join ledger_entries e on e.id = u.entry_id;

insert into ledger_seals (position, partner_id, entry_id, hash)
select s.position, e.partner_id, s.entry_id, s.hash
from old_seals s join ledger_entries e on e.id = s.entry_id order by s.position;

insert into ledger_sealed_balances (partner_id, account_id, amount)
select a.partner_id, b.account_id, b.amount
from old_sealed_balances b join ledger_accounts a on a.id = b.account_id;

drop table old_sealed_balances, old_seals, old_unsealed, old_balances, old_postings, old_accounts;

-- Primary keys that foreign keys refer to are created last (decision record 0048).
alter table ledger_entries drop constraint ledger_entries_pkey;
drop index ledger_entries_loan;
create index ledger_entries_loan on ledger_entries (partner_id, loan_id);
alter table ledger_entries add primary key (partner_id, id);

alter table ledger_accounts
  -- The lender's own accounts have no owner; all others have one.
  add check ((owner_id is null) = (partner_id = '00000000-0000-0000-0000-000000000000')),
  add unique nulls not distinct (partner_id, owner_id, code);
-- Runs and checks find these accounts of all borrowers and partners by their code.
create index ledger_accounts_payers on ledger_accounts (partner_id, owner_id, code)
  where code in ('credit_notes_payable', 'subscription_receivable');
alter table ledger_accounts add primary key (partner_id, id);

create index ledger_postings_account on ledger_postings (partner_id, account_id);
alter table ledger_postings add primary key (partner_id, entry_id, line);

alter table ledger_balances add primary key (partner_id, account_id);
alter table ledger_unsealed add primary key (partner_id, entry_id);
-- Entries of all partners are sealed in one order, a batch at a time.
create index ledger_unsealed_order on ledger_unsealed (entry_id);

alter table ledger_seals
  add primary key (position),
  add unique (partner_id, entry_id),
  add foreign key (partner_id, entry_id) references ledger_entries;

alter table ledger_sealed_balances
  add primary key (partner_id, account_id),
  add foreign key (partner_id, account_id) references ledger_accounts;

-- One statement inserts all postings of an entry, so the new rows show whether it balances. Entries
-- and accounts are never deleted, so one check on insert replaces foreign keys, which would
-- check and lock row by row. Sequential scans are off, because the plan is cached and may have been
-- made while the tables were empty.
create or replace function ledger_refuse_unbalanced() returns trigger language plpgsql
set enable_seqscan = off as $$
declare wrong uuid;
begin
  select n.entry_id into wrong from new_postings n
    group by n.partner_id, n.entry_id having sum(n.amount) <> 0 or count(*) < 2
      or (select e.id from ledger_entries e
        where e.partner_id = n.partner_id and e.id = n.entry_id) is null limit 1;
  if wrong is not null then
    raise exception 'ledger entry % is not there, or does not balance', wrong
      using errcode = 'check_violation';
  end if;
  -- The account must be the partner's or the lender's.
  select n.entry_id into wrong from new_postings n
    where coalesce(
      (select a.id from ledger_accounts a
        where a.partner_id = n.partner_id and a.id = n.account_id),
      (select a.id from ledger_accounts a
        where a.partner_id = '00000000-0000-0000-0000-000000000000' and a.id = n.account_id))
      is null limit 1;
  if wrong is not null then
    raise exception 'an account that ledger entry % is posted on is not there', wrong
      using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;

create trigger ledger_accounts_immutable before update or delete or truncate on ledger_accounts
  for each statement execute function ledger_refuse_change();
create trigger ledger_postings_balanced after insert on ledger_postings
  referencing new table as new_postings
  for each statement execute function ledger_refuse_unbalanced();
create trigger ledger_postings_immutable before update or delete or truncate on ledger_postings
  for each statement execute function ledger_refuse_change();
create trigger ledger_seals_immutable before update or delete or truncate on ledger_seals
  for each statement execute function ledger_refuse_change();

-- Gives the new tables the planner statistics that 0030_statistics.sql gave the others.
do $$
declare
  known record;
  can_restore boolean :=
    exists (select from pg_proc where proname = 'pg_restore_attribute_stats');
begin
  for known in
    select c.table_name, c.column_name,
      case c.column_name when 'id' then -1 else -0.00005 end::real as n_distinct
    from information_schema.columns c
    where c.table_schema = 'public' and c.column_name in ('id', 'partner_id')
      and c.table_name = any(array['ledger_accounts', 'ledger_postings', 'ledger_balances',
        'ledger_unsealed', 'ledger_seals', 'ledger_sealed_balances'])
  loop
    if known.column_name = 'partner_id' then
      execute format('alter table %I alter column partner_id set (n_distinct = -0.00005)',
        known.table_name);
    end if;
    if can_restore then
      execute $call$select pg_restore_attribute_stats('schemaname', 'public', 'relname', $1,
        'attname', $2, 'inherited', false, 'null_frac', 0::real, 'avg_width', 16,
        'n_distinct', $3)$call$
      using known.table_name::text, known.column_name::text, known.n_distinct;
    end if;
  end loop;
  -- Empty tables are not analyzed, because the planner would then assume that they stay empty.
  if exists (select from ledger_entries) then
    analyze ledger_accounts, ledger_postings, ledger_balances, ledger_seals,
      ledger_sealed_balances;
  end if;
end
$$;
