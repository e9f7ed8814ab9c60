-- Bills and their lines are keyed by their partner. Foreign keys look up the primary key, which is
-- created last, as in 0033_keys_of_fees_and_webhooks.sql.

-- Lines of a bill belong to the partner of their bill and loan.
alter table bill_lines add partner_id uuid;
update bill_lines l set partner_id = b.partner_id from bills b where b.id = l.bill_id;
alter table bill_lines alter partner_id set not null,
  alter partner_id set (n_distinct = -0.00005),
  drop constraint bill_lines_pkey,
  add primary key (partner_id, bill_id, loan_id);
-- Created last: lines of one loan would else be looked for among all lines of its partner.
drop index bill_lines_loan;
create index bill_lines_loan on bill_lines (loan_id);
alter table bill_lines enable row level security;
alter table bill_lines force row level security;
create policy partner_wall on bill_lines
  using (may_see(partner_id)) with check (may_see(partner_id));
-- Until the first ANALYZE, as in 0030_statistics_from_the_start.sql.
do $$
begin
  if exists (select from pg_proc where proname = 'pg_restore_attribute_stats') then
    execute $call$select pg_restore_attribute_stats('schemaname', 'public',
      'relname', 'bill_lines', 'attname', 'partner_id', 'inherited', false,
      'null_frac', 0::real, 'avg_width', 16, 'n_distinct', -0.00005::real)$call$;
  end if;
end
$$;

alter table documents drop constraint documents_partner_id_bill_id_fkey;
alter table payments drop constraint payments_partner_id_bill_id_fkey;
alter table loan_movements drop constraint loan_movements_partner_id_credit_bill_id_fkey,
  drop constraint loan_movements_partner_id_bill_id_fkey;
alter table recollection_case_bills
  drop constraint recollection_case_bills_partner_id_bill_id_fkey;
alter table installment_parts drop constraint installment_parts_partner_id_bill_id_fkey;
alter table bills drop constraint bills_partner_id_amends_bill_id_fkey;
alter table bills drop constraint bills_pkey, drop constraint bills_partner_id_id_key,
  add primary key (partner_id, id);
alter table bills add foreign key (partner_id, amends_bill_id) references bills;
alter table documents add foreign key (partner_id, bill_id) references bills;
alter table payments add foreign key (partner_id, bill_id) references bills;
alter table loan_movements add foreign key (partner_id, credit_bill_id) references bills,
  add foreign key (partner_id, bill_id) references bills;
alter table recollection_case_bills add foreign key (partner_id, bill_id) references bills;
alter table installment_parts add foreign key (partner_id, bill_id) references bills;

create or replace function bill_lines_refuse_strays() returns trigger language plpgsql
set enable_seqscan = off as $$
declare wrong uuid;
begin
  select n.bill_id into wrong from (select distinct partner_id, bill_id from new_lines) n
    where (select b.id from bills b
      where b.partner_id = n.partner_id and b.id = n.bill_id) is null limit 1;
  if wrong is not null then
    raise exception 'bill % of a line is not there', wrong using errcode = 'foreign_key_violation';
  end if;
  select n.loan_id into wrong from new_lines n
    where (select l.id from loans l
      where l.partner_id = n.partner_id and l.id = n.loan_id) is null limit 1;
  if wrong is not null then
    raise exception 'loan % of a bill''s line is not there', wrong
      using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;

create or replace function bill_lines_refuse_changes() returns trigger language plpgsql as $$
begin
  if (select status from bills where partner_id = old.partner_id and id = old.bill_id)
    <> 'GENERATED' then
    raise exception 'bill % was issued: its lines stay as they are', old.bill_id
      using errcode = 'restrict_violation';
  end if;
  return coalesce(new, old);
end $$;

create or replace function bill_lines_refuse_more() returns trigger language plpgsql
set enable_seqscan = off as $$
declare wrong uuid;
begin
  select n.bill_id into wrong from (select distinct partner_id, bill_id from new_lines) n
    where (select b.status from bills b
      where b.partner_id = n.partner_id and b.id = n.bill_id) <> 'GENERATED' limit 1;
  if wrong is not null then
    raise exception 'bill % was issued: its lines stay as they are', wrong
      using errcode = 'restrict_violation';
  end if;
  return null;
end $$;

drop trigger bill_lines_stay on bill_lines;
create trigger bill_lines_stay before update of partner_id, bill_id, loan_id on bill_lines
  for each statement execute function bill_lines_refuse_moves();

-- The jobs of bills name their partner.
update jobs j set data = j.data || jsonb_build_object('partner_id', b.partner_id)
from bills b
where j.name in ('send_bill', 'redraw_bill') and b.id = (j.data ->> 'bill_id')::uuid;
