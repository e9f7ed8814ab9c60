-- Monthly bills of accrued interest.

create function bills_refuse_other_numbers() returns trigger language plpgsql as $$
begin
  raise exception 'bill % keeps its number %', old.id, old.invoice_number
    using errcode = 'restrict_violation';
end $$;

create table bills (
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid,
  -- The borrower, or the partner itself; then borrower_id is null.
  payer_id uuid not null,
  status text not null check (status in ('GENERATED', 'VALIDATED', 'SENT_TO_PAYER', 'TO_PAY',
    'PAID', 'INVALID')),
  period_from date not null,
  period_to date not null,
  due_on date not null,
  amount bigint not null,
  -- Paid before the bill was issued. The bill requests the rest.
  amount_prepaid bigint not null default 0,
  amount_paid bigint not null default 0,
  currency text not null,
  invoice_number text,
  reference text not null,
  amends_bill_id uuid,
  document_id uuid,
  installment_plan_id uuid,
  -- False for old bills, whose `printed` was not stored at the time but derived later.
  lines_recorded boolean not null default true,
  -- The types of the loans on the bill, in alphabetical order; verify recomputes them. The grace
  -- days of the bill depend on them.
  loan_types text[] not null,
  ran_at timestamptz not null,
  email_sent_at timestamptz,
  sent_to text[] not null default '{}',
  created_at timestamptz not null,
  foreign key (partner_id, borrower_id) references borrowers
);
create index bills_to_send on bills (id) where status = 'GENERATED';
-- A payer has at most one valid bill per month, so that no interest is billed twice.
create unique index bills_once on bills (payer_id, period_from) where status <> 'INVALID';
create index bills_of_partners on bills (partner_id, due_on)
  where borrower_id is null and status = 'TO_PAY';
create index bills_in_plans on bills (installment_plan_id) where installment_plan_id is not null;
create index bills_due on bills (due_on, borrower_id)
  where borrower_id is not null and status = 'TO_PAY';
create index bills_status on bills (partner_id, status, id);
create index bills_payer on bills (partner_id, payer_id, id);
create index bills_falling_due on bills (due_on) where status = 'TO_PAY';
-- Bills that wait for their partner to send them, or for an operator to release them.
create index bills_validated on bills (id) where status = 'VALIDATED';
-- Created last: in an almost empty table, all indexes cost the same and plans use the newest.
alter table bills add primary key (partner_id, id);
alter table bills add foreign key (partner_id, amends_bill_id) references bills;
create trigger bills_kept before delete on bills
  for each statement execute function refuse_delete();
create trigger bills_keep_numbers before update of invoice_number on bills
  for each row when (old.invoice_number is not null
    and new.invoice_number is distinct from old.invoice_number)
  execute function bills_refuse_other_numbers();

create sequence bill_numbers;
-- Credit notes have a separate series of numbers.
create sequence credit_note_numbers;

create table bill_lines (
  partner_id uuid not null,
  bill_id uuid not null,
  loan_id uuid not null,
  -- Interest to the period's end, rounded, less what was billed before. Negative for a credit.
  amount bigint not null check (amount <> 0),
  -- The partner's mark-up, which is part of the amount.
  mark_up bigint not null default 0,
  -- The settled part, derived from the loan's interest paid, oldest bill first. Includes `lapsed`
  -- and `credited`.
  paid bigint not null default 0,
  -- The part of `paid` that is no longer owed, because the loan was written off.
  lapsed bigint not null default 0,
  -- The part of `paid` that is credited, not paid. Negative on a line that credits unpaid interest.
  credited bigint not null default 0,
  -- What the bill prints about the loan. An issued bill keeps its lines, whatever becomes known
  -- about the loan later (docs/decisions/0031).
  printed jsonb not null default '[]',
  primary key (partner_id, bill_id, loan_id)
);
create index bill_lines_loan on bill_lines (loan_id);

-- Lines are inserted in bulk, so they are checked per statement, as ledger postings are. Bills and
-- loans are never deleted, so one check on insert replaces foreign keys. Sequential scans are
-- off, because the plan is cached and may have been made while the tables were empty.
create function bill_lines_refuse_strays() returns trigger language plpgsql
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

-- References are checked only on insert, so moving a line to another bill or loan is refused.
create function bill_lines_refuse_moves() returns trigger language plpgsql as $$
begin
  raise exception 'a line stays with its bill and its loan' using errcode = 'restrict_violation';
end $$;

-- What a bill prints does not change once it has been issued.
create function bill_lines_refuse_changes() returns trigger language plpgsql as $$
begin
  if (select status from bills where partner_id = old.partner_id and id = old.bill_id)
    <> 'GENERATED' then
    raise exception 'bill % was issued: its lines stay as they are', old.bill_id
      using errcode = 'restrict_violation';
  end if;
  return coalesce(new, old);
end $$;

-- An issued bill gets no further lines. Checked per statement, because lines are inserted in bulk.
create function bill_lines_refuse_more() returns trigger language plpgsql
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

create trigger bill_lines_complete after insert on bill_lines
  referencing new table as new_lines
  for each statement execute function bill_lines_refuse_strays();
create trigger bill_lines_stay before update of partner_id, bill_id, loan_id on bill_lines
  for each statement execute function bill_lines_refuse_moves();
create trigger bill_lines_issued before update of amount, mark_up, printed or delete on bill_lines
  for each row execute function bill_lines_refuse_changes();
create trigger bill_lines_no_more after insert on bill_lines
  referencing new table as new_lines
  for each statement execute function bill_lines_refuse_more();

-- The loans whose mark-up a payment to a partner pays. A negative amount takes back an overpayment.
create table partner_shares (
  payment_id uuid not null,
  loan_id uuid not null,
  partner_id uuid not null references partners,
  amount bigint not null check (amount <> 0),
  primary key (partner_id, payment_id, loan_id),
  foreign key (partner_id, payment_id) references payments,
  foreign key (partner_id, loan_id) references loans
);
create index partner_shares_loan on partner_shares (partner_id, loan_id);

alter table documents add foreign key (partner_id, bill_id) references bills;
alter table payments add foreign key (partner_id, bill_id) references bills;
alter table loan_movements add foreign key (partner_id, credit_bill_id) references bills;
alter table loan_movements add foreign key (partner_id, bill_id) references bills;
