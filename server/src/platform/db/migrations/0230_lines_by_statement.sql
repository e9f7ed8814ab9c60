-- Lines of bills are written by the thousand too: they are checked by their statement, as postings
-- are. Bills and loans are never deleted, so that looking once keeps what a foreign key keeps.
alter table bill_lines
  drop constraint bill_lines_bill_id_fkey,
  drop constraint bill_lines_loan_id_fkey;

-- By index always: the plan is kept, and may have been made while there was nothing to look at.
create function bill_lines_refuse_strays() returns trigger language plpgsql
set enable_seqscan = off as $$
declare wrong uuid;
begin
  select n.bill_id into wrong from (select distinct bill_id from new_lines) n
    where (select b.id from bills b where b.id = n.bill_id) is null limit 1;
  if wrong is not null then
    raise exception 'bill % of a line is not there', wrong using errcode = 'foreign_key_violation';
  end if;
  select n.loan_id into wrong from new_lines n
    where (select l.id from loans l where l.id = n.loan_id) is null limit 1;
  if wrong is not null then
    raise exception 'loan % of a bill''s line is not there', wrong
      using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;
create trigger bill_lines_complete after insert on bill_lines
  referencing new table as new_lines
  for each statement execute function bill_lines_refuse_strays();
create function refuse_delete() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never deleted', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger bills_kept before delete on bills
  for each statement execute function refuse_delete();
create trigger loans_kept before delete on loans
  for each statement execute function refuse_delete();

-- An entry is looked up once for all of its postings.
create or replace function ledger_refuse_unbalanced() returns trigger language plpgsql
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

-- Nothing ever wrote it; its foreign key was looked at with each entry.
alter table ledger_entries drop column reverses_entry_id;
