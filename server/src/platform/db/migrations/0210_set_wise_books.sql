-- What is written by the thousand in one statement is checked by that statement, not by row.

-- A bill changes what every loan was billed. As long as no index looks at those columns and the
-- page has room, the new version of the row is written beside the old one and no index is touched.
drop index loans_unbilled, loans_partner_unbilled;
alter table loans set (fillfactor = 50);
alter table loans add column unbilled boolean not null
  generated always as (interest_billed <> interest_accrued) stored;
create index loans_unbilled on loans (borrower_id)
  where unbilled or status in ('TO_REPAY', 'TO_REPAY_FEES');
create index loans_partner_unbilled on loans (partner_id, id)
  where fees_payer = 'PARTNER' and (unbilled or status in ('TO_REPAY', 'TO_REPAY_FEES'));

-- Entries and accounts are never deleted, so that a look at them once, when a posting is written,
-- keeps what a foreign key would keep: it looks row by row and locks what it finds.
alter table ledger_postings
  drop constraint ledger_postings_entry_id_fkey,
  drop constraint ledger_postings_account_id_fkey;
alter table ledger_unsealed drop constraint ledger_unsealed_entry_id_fkey;
alter table ledger_balances drop constraint ledger_balances_account_id_fkey;

-- By index always: the plan is kept, and may have been made while there was nothing to look at.
create or replace function ledger_refuse_unbalanced() returns trigger language plpgsql
set enable_seqscan = off as $$
declare wrong uuid;
begin
  select n.entry_id into wrong from new_postings n
    group by n.entry_id having sum(n.amount) <> 0 or count(*) < 2 limit 1;
  if wrong is not null then
    raise exception 'ledger entry % does not balance', wrong using errcode = 'check_violation';
  end if;
  select n.entry_id into wrong from new_postings n
    where (select e.id from ledger_entries e where e.id = n.entry_id) is null
      or (select a.id from ledger_accounts a where a.id = n.account_id) is null limit 1;
  if wrong is not null then
    raise exception 'ledger entry % is not there, or an account it is posted on', wrong
      using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;

drop trigger ledger_accounts_immutable on ledger_accounts;
create trigger ledger_accounts_immutable before update or delete or truncate on ledger_accounts
  for each statement execute function ledger_refuse_change();
