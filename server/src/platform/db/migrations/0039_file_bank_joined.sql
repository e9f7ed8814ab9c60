-- Debits of a file have one creditor identifier. An order found faulty when its file is written is
-- refused then. A settlement on a statement is final: no later report changes it. Statements are
-- stored, and their booked entries become news.

alter table file_bank_orders
  add column creditor_identifier text,
  add column settled_at timestamptz;
update file_bank_orders
  set creditor_identifier = content -> 'mandate' ->> 'creditor_identifier' where kind = 'SDD';
alter table file_bank_orders
  drop constraint file_bank_orders_check4,
  add check ((kind = 'SDD') = (creditor_identifier is not null)),
  add check (file_id is not null or num_nonnulls(answer, payee_check, settled_at) = 0),
  add check (rejected_at is null or num_nonnulls(file_id, refused_for) = 1);

-- Statements (camt.053), of which one posts cash, and notifications (camt.054), which explain.
create table file_bank_statements (
  id uuid primary key,
  bank_file_id uuid not null references bank_files,
  -- In the file, from 1.
  place integer not null,
  kind text not null check (kind in ('STATEMENT', 'NOTIFICATION')),
  -- The IBAN of the lender's account.
  account text not null,
  -- What tells it from the account's others: id, number, page and closing day.
  reference text not null,
  -- Booked balances in cents, negative if overdrawn. Notifications have none.
  opening bigint,
  closing bigint,
  closing_on date,
  sequence_number text,
  -- Of its booked entries. A statement that comes again has the same.
  content_hash text not null,
  -- Why nothing in it is booked.
  refused_for text,
  -- When all its entries were stored. Nothing in it is booked before.
  read_at timestamptz,
  unique (bank_file_id, place),
  check (refused_for is null or read_at is null)
);
create unique index file_bank_statements_once on file_bank_statements (kind, account, reference)
  where refused_for is null;

-- Entries as the bank wrote them, and what was made of them.
create table file_bank_entries (
  statement_id uuid not null references file_bank_statements,
  -- In the statement, from 1.
  place integer not null,
  -- The bank's status of the booking. Only BOOK moves the booked balance.
  booking text,
  amount bigint not null check (amount >= 0),
  sign text not null check (sign in ('CRDT', 'DBIT')),
  booked_on date not null,
  value_on date not null,
  bank_reference text,
  content json not null,
  kind text check (kind in ('PAYMENTS', 'TRANSFER', 'TRANSFER_OWN', 'CHARGE', 'BANK_INTEREST',
    'OTHER', 'NOTIFIED')),
  -- The cents of the amount that are the bank's fee on a payment.
  charge bigint not null default 0 check (charge >= 0),
  -- Why it is OTHER, or was not matched.
  remark text,
  primary key (statement_id, place)
);
create index file_bank_entries_new on file_bank_entries (statement_id, place)
  where kind is null and booking = 'BOOK';
create index file_bank_entries_reference on file_bank_entries (bank_reference)
  where bank_reference is not null;

create table file_bank_details (
  statement_id uuid not null references file_bank_statements,
  entry_place integer not null,
  place integer not null,
  -- In euro cents; null if the bank does not say.
  amount bigint check (amount >= 0),
  -- Null if it is the entry's.
  sign text check (sign in ('CRDT', 'DBIT')),
  content json not null,
  primary key (statement_id, entry_place, place)
);

-- News for the service, stored together with the decision about its entry.
create table file_bank_news (
  id uuid primary key,
  bank_reference text not null unique,
  kind text not null check (kind in ('SETTLED', 'RETURNED', 'REFUNDED', 'REVERSED',
    'TRANSFER_IN')),
  payment_id uuid references file_bank_orders,
  amount bigint not null check (amount > 0),
  value_on date not null,
  reason_code text,
  raw json not null,
  told_at timestamptz,
  check ((kind = 'TRANSFER_IN') = (payment_id is null))
);
create index file_bank_news_untold on file_bank_news (id) where told_at is null;

do $$
declare t text;
begin
  foreach t in array array['file_bank_statements', 'file_bank_entries', 'file_bank_details',
    'file_bank_news'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format($policy$create policy service_only on %I
      using (current_setting('headroom.partners', true) = '*')
      with check (current_setting('headroom.partners', true) = '*')$policy$, t);
  end loop;
end $$;
