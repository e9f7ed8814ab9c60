-- The lender's bank accounts in the books, the bank's statements, and the daily comparison of both.
-- Only the service sees statements. The accounts are part of the deployment's settings.

create table bank_accounts (
  id uuid primary key,
  iban text not null unique,
  -- What the account is used for; one account can have both roles.
  roles text[] not null check (roles <@ array['COLLECTION', 'FUNDING']),
  -- What the account held at the end of a day before its first payment in these books, if anything.
  opening_balance bigint,
  opened_on date,
  created_at timestamptz not null,
  check ((opening_balance is null) = (opened_on is null))
);

-- Until now, the books had one account for all cash. It becomes the funding account's.
insert into bank_accounts (id, iban, roles, created_at)
select overlay(overlay(md5(iban) placing '8' from 13) placing '8' from 17)::uuid, iban,
  array_agg(role order by role), now()
from deployment d cross join lateral (
  values ('COLLECTION', replace(d.lender ->> 'collection_iban', ' ', '')),
    ('FUNDING', replace(d.lender ->> 'funding_iban', ' ', ''))) a (role, iban)
where iban is not null group by iban;

-- Cash has one account for each bank account. It belongs to the lender and has an owner.
do $$
declare name text;
begin
  select conname into name from pg_constraint
  where conrelid = 'ledger_accounts'::regclass and contype = 'c';
  execute format('alter table ledger_accounts drop constraint %I', name);
end $$;
alter table ledger_accounts add constraint ledger_accounts_owner check (owner_id is not null
  or partner_id = '00000000-0000-0000-0000-000000000000');
alter table ledger_accounts add constraint ledger_accounts_lender check (owner_id is null
  or code = 'bank_cash' or partner_id <> '00000000-0000-0000-0000-000000000000');
alter table ledger_accounts disable trigger user;
update ledger_accounts set owner_id = (select id from bank_accounts where 'FUNDING' = any(roles))
where code = 'bank_cash' and owner_id is null;
alter table ledger_accounts enable trigger user;

-- The day on which the bank booked the cash. Null for other accounts, and for cash that was booked
-- before the books kept this day.
alter table ledger_postings add column bank_booked_on date;

-- Cash by bank account and the bank's booking date, up to the last sealed entry. Reads add the
-- later postings. Cash without such a date counts on the first day of the calendar.
create table ledger_cash_days (
  partner_id uuid not null,
  account_id uuid not null,
  booked_on date not null,
  amount bigint not null,
  primary key (partner_id, account_id, booked_on),
  foreign key (partner_id, account_id) references ledger_accounts
);
insert into ledger_cash_days (partner_id, account_id, booked_on, amount)
select b.partner_id, b.account_id, '0001-01-01', b.amount from ledger_sealed_balances b
join ledger_accounts a on a.partner_id = b.partner_id and a.id = b.account_id
where a.code = 'bank_cash';

-- The bank account that a payment moved, and the day on which the bank booked it.
alter table payments add column bank_account_id uuid references bank_accounts,
  add column bank_booked_on date;
update payments set bank_account_id = (select id from bank_accounts where 'FUNDING' = any(roles)),
  bank_booked_on = paid_on
where status = 'PAID';
alter table payments add check ((bank_account_id is null) = (bank_booked_on is null));

-- News says which account it is about, which way cash moved, if it did, and when the bank booked
-- it.
alter table bank_news add column bank_account_id uuid references bank_accounts,
  add column booked_on date,
  add column direction text check (direction in ('IN', 'OUT'));
update bank_news n set booked_on = (n.received_at at time zone 'Europe/Paris')::date,
  bank_account_id = (select id from bank_accounts where 'FUNDING' = any(roles)),
  direction = case when n.kind = 'TRANSFER_IN' then 'IN'
    when n.kind in ('IN_TRANSIT', 'REJECTED', 'CANCELED') then null
    when (coalesce((select p.direction from payments p where p.id = n.payment_id), 'OUT') = 'IN')
      = (n.kind = 'SETTLED') then 'IN' else 'OUT' end;
alter table bank_news alter column bank_account_id set not null,
  alter column booked_on set not null;
alter table bank_news drop constraint bank_news_kind_check;
alter table bank_news add constraint bank_news_kind_check check (kind in ('IN_TRANSIT', 'SETTLED',
  'REJECTED', 'CANCELED', 'RETURNED', 'REFUNDED', 'REVERSED', 'TRANSFER_IN', 'CHARGE',
  'BANK_INTEREST', 'TRANSFER_OWN', 'OTHER'));
-- The tie-out looks for transfers between our accounts, and for news that is not booked, or is on
-- no statement.
create index bank_news_waiting on bank_news (bank_account_id, booked_on) where booked_at is null;
create index bank_news_own on bank_news (booked_on) where kind = 'TRANSFER_OWN';
create index bank_news_days on bank_news (bank_account_id, booked_on) where direction is not null;

create table bank_statements (
  id uuid primary key,
  bank_account_id uuid not null references bank_accounts,
  -- The bank's name of the statement.
  statement_id text not null,
  sequence integer not null,
  from_on date not null,
  to_on date not null,
  -- Booked balances in cents.
  opening bigint not null,
  closing bigint not null,
  state text not null check (state in ('RECEIVING', 'RECEIVED', 'BOOKING', 'BOOKED', 'REFUSED')),
  refused_for text,
  -- Of all entries, to recognize the same statement.
  content_hash text,
  entries integer not null default 0,
  -- The position of the last entry whose news is stored.
  passed_to integer not null default 0,
  -- The bank's own form of the statement, without its entries.
  raw jsonb not null,
  received_at timestamptz not null,
  check ((state = 'REFUSED') = (refused_for is not null)),
  check ((state = 'RECEIVING') = (content_hash is null))
);
-- Several statements may come under a name, and one of them is booked.
create unique index bank_statements_booked on bank_statements (bank_account_id, statement_id)
  where state in ('BOOKING', 'BOOKED');
create unique index bank_statements_arriving on bank_statements (bank_account_id, statement_id)
  where state = 'RECEIVING';
create unique index bank_statements_content
  on bank_statements (bank_account_id, statement_id, content_hash);
create index bank_statements_order on bank_statements (bank_account_id, to_on, sequence);

-- An entry is identified by its account, statement and place. Stored as it came: what is wrong with
-- its place or amount is a reason to refuse the statement.
create table bank_entries (
  statement_id uuid not null references bank_statements,
  -- Counts the entries as they came.
  position integer not null,
  place integer not null,
  bank_reference text not null,
  direction text not null check (direction in ('IN', 'OUT')),
  amount bigint not null,
  booked_on date not null,
  value_on date not null,
  kind text not null,
  payment_id uuid,
  reason_code text,
  -- As reported by the bank.
  raw jsonb not null,
  primary key (statement_id, position)
);
create index bank_entries_reference on bank_entries (bank_reference);

-- Ledger cash and the closing booked balance of each account and day with a statement.
create table tie_outs (
  bank_account_id uuid not null references bank_accounts,
  day date not null,
  -- Names the day in alerts and addresses.
  id uuid not null unique,
  statement_id uuid not null references bank_statements,
  closing bigint not null,
  ledger bigint not null,
  difference bigint generated always as (ledger - closing) stored,
  -- WAITING while news of the day is not booked yet.
  result text not null check (result in ('WAITING', 'TIED', 'DIFFERENT')),
  checked_at timestamptz not null,
  primary key (bank_account_id, day),
  check (result <> 'TIED' or ledger = closing)
);
create index tie_outs_open on tie_outs (bank_account_id, day) where result <> 'TIED';

-- The simulated bank's accounts of the lender: where each statement begins.
create table sandbox_bank_accounts (
  role text primary key check (role in ('COLLECTION', 'FUNDING')),
  -- Whether the lender's capital has come in, by a deposit or with the first payment that left.
  has_capital boolean not null default false,
  -- What happens to the next statements.
  fault text not null default 'NONE' check (fault in ('NONE', 'WITHHELD', 'WRONG_BALANCE'))
);

create table sandbox_bank_closings (
  role text not null check (role in ('COLLECTION', 'FUNDING')),
  sequence integer not null check (sequence > 0),
  from_on date not null,
  to_on date not null,
  opening bigint not null,
  closing bigint not null,
  fault text not null check (fault in ('NONE', 'WITHHELD', 'WRONG_BALANCE')),
  told_at timestamptz,
  primary key (role, sequence),
  unique (role, to_on)
);
create index sandbox_bank_closings_untold on sandbox_bank_closings (to_on, role)
  where told_at is null;

alter table sandbox_bank_instructions add column account text not null default 'FUNDING'
  check (account in ('COLLECTION', 'FUNDING'));
alter table sandbox_bank_instructions alter column account drop default;
alter table sandbox_bank_statement add column account text not null default 'FUNDING'
    check (account in ('COLLECTION', 'FUNDING')),
  add column booked_on date,
  add column direction text check (direction in ('IN', 'OUT'));
alter table sandbox_bank_statement alter column account drop default;
update sandbox_bank_statement s set booked_on = (s.created_at at time zone 'Europe/Paris')::date,
  direction = case when s.kind = 'TRANSFER_IN' then 'IN'
    when s.kind in ('IN_TRANSIT', 'REJECTED', 'CANCELED') then null
    when ((select i.direction from sandbox_bank_instructions i
        where i.id = s.instruction_id) = 'IN') = (s.kind = 'SETTLED') then 'IN' else 'OUT' end;
alter table sandbox_bank_statement alter column booked_on set not null;
create index sandbox_bank_statement_account on sandbox_bank_statement (account, booked_on, id)
  where direction is not null;

-- A sandbox with a past: the first statements begin tomorrow. They open with what the books have,
-- and with what the bank has yet to report.
insert into sandbox_bank_accounts (role, has_capital)
select 'FUNDING', true where exists (select from ledger_accounts where code = 'lender_capital');
insert into sandbox_bank_closings (role, sequence, from_on, to_on, opening, closing, fault, told_at)
select a.role, 1, past.to_on, past.to_on, a.share * past.cash, a.share * past.cash, 'NONE', now()
from (values ('COLLECTION', 0), ('FUNDING', 1)) a (role, share), lateral (
  select ((now() + d.clock_offset_ms * interval '1 millisecond') at time zone 'Europe/Paris')::date
      as to_on,
    coalesce((select sum(p.amount) from ledger_accounts c
        join ledger_postings p on p.account_id = c.id where c.code = 'bank_cash'), 0)
      + coalesce((select sum(case direction when 'IN' then amount else -amount end) from bank_news
        where booked_at is null and direction is not null), 0)
      + coalesce((select sum(case direction when 'IN' then amount else -amount end)
        from sandbox_bank_statement s where told_at is null and direction is not null
          and not exists (select from bank_news n where n.bank_reference = s.id::text)), 0)
      as cash
  from deployment d) past;

do $$
declare t text;
begin
  foreach t in array array['bank_statements', 'bank_entries', 'tie_outs'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format($policy$create policy service_only on %I
      using (current_setting('headroom.partners', true) = '*')
      with check (current_setting('headroom.partners', true) = '*')$policy$, t);
  end loop;
end $$;
