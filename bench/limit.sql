-- The least that granting a loan must write, in one call. The rate of this call is the upper limit
-- for the service.

create table lines (
  id integer primary key,
  pool_amount bigint not null,
  reserved bigint not null default 0 check (reserved >= 0)
);
create table idempotency_keys (
  key text primary key,
  answer jsonb not null,
  created_at timestamptz not null default now()
);
create table loans (
  id uuid primary key,
  line_id integer not null references lines,
  salt_id text not null unique,
  status text not null,
  amount bigint not null check (amount > 0),
  to_pay_on date not null,
  to_repay_on date not null,
  loan_to jsonb not null,
  submitted_at timestamptz not null
);
create index loans_line on loans (line_id, id);
create table ledger_entries (
  id uuid primary key,
  kind text not null,
  loan_id uuid not null,
  booked_at timestamptz not null
);
create index ledger_entries_loan on ledger_entries (loan_id);
create table ledger_postings (
  entry_id uuid not null references ledger_entries,
  line smallint not null,
  account text not null,
  amount bigint not null check (amount <> 0),
  primary key (entry_id, line)
);
create table events (
  id uuid primary key,
  type text not null,
  resource_id uuid not null,
  data jsonb not null,
  at timestamptz not null
);

create function lend(line integer, wanted bigint, salt text) returns uuid language plpgsql as $$
declare
  loan loans;
  entry uuid := uuidv7();
begin
  perform 1 from idempotency_keys where key = salt;
  if found then raise exception 'a key was used twice'; end if;
  perform 1 from lines where id = line for update;
  update lines set reserved = reserved + wanted
    where id = line and pool_amount - reserved >= wanted;
  if not found then raise exception 'the line does not have that much'; end if;
  insert into loans values (uuidv7(), line, salt, 'VALIDATED', wanted, current_date,
    current_date + 30, jsonb_build_object('account_number', 'FR7630006000011234567890189'), now())
    returning * into loan;
  insert into ledger_entries values (entry, 'LOAN', loan.id, now());
  insert into ledger_postings values (entry, 1, 'loans', wanted), (entry, 2, 'cash', -wanted),
    (entry, 3, 'promised', wanted), (entry, 4, 'promises', -wanted);
  insert into events values (uuidv7(), 'Loan.VALIDATED', loan.id, to_jsonb(loan), now());
  insert into idempotency_keys values (salt, to_jsonb(loan), now());
  return loan.id;
end $$;
