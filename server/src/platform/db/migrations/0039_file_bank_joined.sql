-- Debits of a file have one creditor identifier, and its orders one account of ours. An order found
-- faulty when its file is written is refused then. A settlement on a statement is final: no later
-- report changes it. Statements are stored, their booked entries become movements, and the service
-- gets each statement whole.

-- Statements (camt.053), of which one moves cash, and notifications (camt.054), which explain.
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
  -- Of a statement in pages, which has this name: its page, and whether it is the first or last.
  pages_of text,
  page integer,
  is_first_page boolean not null,
  is_last_page boolean not null,
  -- Counts the account's statements. Notifications have none of these.
  sequence integer,
  from_on date,
  closing_on date,
  -- Booked balances in cents, negative if overdrawn.
  opening bigint,
  closing bigint,
  -- Of its booked entries. A statement that comes again has the same.
  content_hash text not null,
  -- Why it cannot be handed over.
  refused_for text,
  -- When all its entries were stored. Nothing in it counts before.
  read_at timestamptz,
  -- The last entry that was decided, and the last movement that was made of entries.
  entries_decided integer not null default 0,
  movements integer not null default 0,
  -- Whether it is kept for details or a settlement that may still come, and until when at most.
  is_waiting boolean not null default false,
  waits_until date,
  decided_at timestamptz,
  told_at timestamptz,
  unique (bank_file_id, place),
  check (refused_for is null or read_at is null),
  check ((page is null) = (pages_of is null)),
  check (kind = 'NOTIFICATION' or refused_for is not null or page is not null
    or num_nulls(sequence, from_on, closing_on, opening, closing) = 0)
);
create unique index file_bank_statements_once
  on file_bank_statements (kind, account, reference, content_hash) where refused_for is null;
create index file_bank_statements_untold on file_bank_statements (closing_on, sequence)
  where kind = 'STATEMENT' and refused_for is null and told_at is null;

alter table file_bank_orders
  add column creditor_identifier text,
  add column account text check (account in ('COLLECTION', 'FUNDING')),
  -- The statement that shows the order as executed.
  add column settled_in uuid references file_bank_statements;
update file_bank_orders
  set creditor_identifier = content -> 'mandate' ->> 'creditor_identifier',
    account = coalesce(content ->> 'account',
      case when content ->> 'direction' = 'OUT' then 'FUNDING' else 'COLLECTION' end);
alter table file_bank_orders
  alter column account set not null,
  drop constraint file_bank_orders_check4,
  add check ((kind = 'SDD') = (creditor_identifier is not null)),
  add check (file_id is not null or num_nonnulls(answer, payee_check, settled_in) = 0),
  add check (rejected_at is null or num_nonnulls(file_id, refused_for) = 1);
create index file_bank_orders_settled on file_bank_orders (settled_in)
  where settled_in is not null;

-- How often the delivery of the file was tried. After a second one the bank may call it a
-- duplicate.
alter table order_files add column deliveries integer not null default 0;
update order_files
  set deliveries = case state when 'WRITTEN' then 0 when 'UNKNOWN' then 2 else 1 end;

-- Entries as the bank wrote them.
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
  -- Of a notification: the statement's entry that it explains.
  explains_statement_id uuid,
  explains_place integer,
  primary key (statement_id, place),
  foreign key (explains_statement_id, explains_place) references file_bank_entries
);
create index file_bank_entries_reference on file_bank_entries (bank_reference)
  where bank_reference is not null;
create unique index file_bank_entries_explained
  on file_bank_entries (explains_statement_id, explains_place)
  where explains_statement_id is not null;

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

-- What the booked entries of a statement moved, as it is handed over. An entry has several if it
-- books several payments, or a payment and a fee.
create table file_bank_movements (
  statement_id uuid not null references file_bank_statements,
  place integer not null check (place > 0),
  bank_reference text not null,
  kind text not null check (kind in ('SETTLED', 'RETURNED', 'REFUNDED', 'REVERSED', 'TRANSFER_IN',
    'CHARGE', 'BANK_INTEREST', 'TRANSFER_OWN', 'OTHER')),
  payment_id uuid references file_bank_orders,
  amount bigint not null check (amount > 0),
  direction text not null check (direction in ('IN', 'OUT')),
  booked_on date not null,
  value_on date not null,
  reason_code text,
  raw json not null,
  -- Whether details that may still come could explain it.
  lacks_details boolean not null,
  primary key (statement_id, place),
  unique (statement_id, bank_reference),
  check ((payment_id is null)
    = (kind in ('TRANSFER_IN', 'CHARGE', 'BANK_INTEREST', 'TRANSFER_OWN', 'OTHER')))
);

do $$
declare t text;
begin
  foreach t in array array['file_bank_statements', 'file_bank_entries', 'file_bank_details',
    'file_bank_movements'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format($policy$create policy service_only on %I
      using (current_setting('headroom.partners', true) = '*')
      with check (current_setting('headroom.partners', true) = '*')$policy$, t);
  end loop;
end $$;
