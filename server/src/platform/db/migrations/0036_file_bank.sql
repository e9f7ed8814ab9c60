-- A bank that is reached by files. Its tables are its own: orders taken, files written, files
-- received, and what the bank reported. A file has orders of several partners, so only the service
-- sees these tables.

create table order_files (
  id uuid primary key,
  -- Unique, because a delivery is repeated under the same name.
  name text not null unique,
  -- The message id (MsgId), by which the bank refers to the file.
  message_id text not null unique,
  bytes bytea not null,
  sha256 text not null unique,
  orders integer not null check (orders > 0),
  total bigint not null check (total > 0),
  execute_on date not null,
  state text not null check (state in ('WRITTEN', 'UNKNOWN', 'SENT', 'WAITING_AUTHORISATION',
    'ACCEPTED', 'PARTLY_ACCEPTED', 'REJECTED')),
  written_at timestamptz not null,
  -- When the bank's side first confirmed that it has the whole file.
  delivered_at timestamptz
);
create index order_files_undelivered on order_files (id) where state in ('WRITTEN', 'UNKNOWN');

create table file_bank_orders (
  payment_id uuid primary key,
  content json not null,
  -- What the orders of one file have in common, beside their day of execution.
  kind text not null check (kind in ('SCT', 'SDD')),
  scheme text check (scheme in ('CORE', 'B2B')),
  sequence_type text check (sequence_type in ('FRST', 'RCUR', 'OOFF', 'FNAL')),
  mandate_reference text,
  amount bigint not null check (amount > 0),
  end_to_end_id text not null unique,
  execute_on date not null,
  -- The day on which the bank must have the order to execute it on its day.
  hand_over_on date not null,
  taken_at timestamptz not null,
  -- The reason (ISO 20022) for which the order was refused when it was taken.
  refused_for text,
  recalled_at timestamptz,
  file_id uuid references order_files,
  -- The bank's last report about the order, and its check of the payee's name.
  answer text,
  payee_check text check (payee_check in ('RCVC', 'RVMC', 'RVNM', 'RVNA', 'RVNC')),
  rejected_at timestamptz,
  rejected_for text,
  -- When the rejection was reported to the service.
  reported_at timestamptz,
  check ((kind = 'SDD') = (scheme is not null)),
  check ((kind = 'SDD') = (sequence_type is not null)),
  check ((kind = 'SDD') = (mandate_reference is not null)),
  check (num_nonnulls(refused_for, recalled_at, file_id) <= 1),
  check (file_id is not null or num_nonnulls(answer, payee_check, rejected_at) = 0),
  check ((rejected_at is null) = (rejected_for is null)),
  check (reported_at is null or rejected_at is not null)
);
create index file_bank_orders_waiting on file_bank_orders (kind, hand_over_on)
  where file_id is null and recalled_at is null and refused_for is null;
create index file_bank_orders_mandate on file_bank_orders (mandate_reference)
  where mandate_reference is not null;
create index file_bank_orders_file on file_bank_orders (file_id) where file_id is not null;
create index file_bank_orders_unreported on file_bank_orders (payment_id)
  where rejected_at is not null and reported_at is null;

-- Files received. The hash makes a file that is listed or fetched twice one file.
create table bank_files (
  id uuid primary key,
  name text not null,
  sha256 text not null unique,
  size bigint not null check (size > 0),
  -- Such as camt.053.001.08; null if the beginning of the file cannot be read.
  message text,
  state text not null check (state in ('RECEIVED', 'READ', 'REFUSED')),
  refused_for text,
  received_at timestamptz not null,
  check ((state = 'REFUSED') = (refused_for is not null))
);
create index bank_files_unread on bank_files (id) where state = 'RECEIVED';

-- The bytes, in pieces, because a statement can be larger than memory allows.
create table bank_file_pieces (
  bank_file_id uuid not null references bank_files,
  place integer not null,
  bytes bytea not null,
  primary key (bank_file_id, place)
);

-- What the bank reported (pain.002), as it came and in the order of the file.
create table order_answers (
  bank_file_id uuid not null references bank_files,
  place integer not null,
  level text not null check (level in ('FILE', 'PAYMENT', 'TRANSACTION')),
  code text,
  reason_code text,
  reason_text text,
  -- Null if the report names no file or order of ours.
  order_file_id uuid references order_files,
  payment_id uuid references file_bank_orders,
  -- Why it changed nothing; null if it was applied.
  unfit_because text,
  primary key (bank_file_id, place)
);
create index order_answers_file on order_answers (order_file_id);
create index order_answers_payment on order_answers (payment_id);

do $$
declare t text;
begin
  foreach t in array array['order_files', 'file_bank_orders', 'bank_files', 'bank_file_pieces',
    'order_answers'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format($policy$create policy service_only on %I
      using (current_setting('headroom.partners', true) = '*')
      with check (current_setting('headroom.partners', true) = '*')$policy$, t);
  end loop;
end $$;
