-- Cards: what they may spend of a line, what they did, and what the processor told us.

alter table credit_lines
  -- Cleared by cards and not yet lent as a loan; what came back counts below zero. Above zero it
  -- is part of `outstanding`.
  add column card_spent bigint not null default 0,
  -- Held by open authorisations: part of `reserved`.
  add column card_pending bigint not null default 0 check (card_pending >= 0);

-- The loan of a cycle runs for thirty days from its close.
update products set duration_days_max = 30 where product_type = 'CREDIT_CARD_FINANCING';

create table cards (
  id uuid primary key,
  partner_id uuid not null references partners,
  borrower_id uuid not null references borrowers,
  credit_line_id uuid not null references credit_lines,
  caller_id uuid not null references callers,
  first_name text not null,
  last_name text not null,
  card_type text not null,
  currency text not null,
  constraints jsonb not null,
  status text not null check (status in ('inactive', 'active', 'canceled')),
  -- The Idempotency-Key of the request for it, so that a repeat finds it.
  request_key text,
  -- Who issues it; the rest is null until the processor has said so.
  processor text not null,
  brand text,
  last4 text,
  provider_account_id text,
  provider_card_id text unique,
  issued_at timestamptz,
  created_at timestamptz not null,
  unique (partner_id, request_key)
);
create index cards_page on cards (partner_id, id);
create index cards_borrower on cards (borrower_id, id);

-- What the processor is asked to do: kept before it is asked, and until it has answered.
create table card_orders (
  id uuid primary key,
  partner_id uuid not null references partners,
  card_id uuid not null references cards,
  -- Null asks to issue the card.
  wanted_status text check (wanted_status in ('inactive', 'active', 'canceled')),
  actor text not null,
  answered_at timestamptz,
  refusal text,
  created_at timestamptz not null
);
create index card_orders_open on card_orders (card_id) where answered_at is null;

create table card_entries (
  id uuid primary key,
  partner_id uuid not null references partners,
  borrower_id uuid not null references borrowers,
  credit_line_id uuid not null references credit_lines,
  card_id uuid not null references cards,
  status text not null check (status in ('pending', 'completed', 'declined', 'reversed')),
  transaction_type text not null
    check (transaction_type in ('payment', 'refund', 'dispute', 'dispute_reversal')),
  -- Cents; what comes back is below zero.
  amount bigint not null,
  -- What it holds of the line: all while it is pending, the rest where a part was cleared.
  held bigint not null default 0 check (held >= 0),
  currency text not null,
  merchant_name text not null,
  merchant_category text not null,
  merchant_amount bigint,
  merchant_currency text,
  decline_reason text,
  -- The processor's words for the authorisation and for what was cleared: each is one entry.
  authorization_ref text unique,
  transaction_ref text unique,
  -- The entry of the authorisation that this was cleared under, when it has had one before.
  authorization_entry_id uuid references card_entries,
  -- How the authorisation stands by the newest news: what is held, and what was cleared by then.
  authorization_state text
    check (authorization_state in ('open', 'closed', 'reversed', 'declined')),
  authorized bigint not null default 0 check (authorized >= 0),
  news_rank bigint not null default 0,
  told_cleared text[] not null default '{}',
  disputed_entry_id uuid references card_entries,
  -- Held until then at most.
  lapses_on date,
  cleared_on date,
  cleared_at timestamptz,
  -- Of money that came back: what repaid loans of earlier cycles.
  repaid bigint not null default 0 check (repaid >= 0),
  -- The loan that it went into, or repaid in full.
  loan_id uuid references loans,
  created_at timestamptz not null,
  check (held = 0 or status in ('pending', 'completed'))
);
create index card_entries_card on card_entries (card_id, created_at desc);
create index card_entries_line on card_entries (credit_line_id) where held > 0;
create index card_entries_unfinanced on card_entries (credit_line_id, cleared_on)
  where status = 'completed' and loan_id is null;
create index card_entries_lapsing on card_entries (lapses_on)
  where held > 0 or status = 'pending';
create index card_entries_authorization on card_entries (authorization_entry_id);
create index card_entries_disputed on card_entries (disputed_entry_id);
create index card_entries_loan on card_entries (loan_id);

-- Cards move loans without any payment: the close of a cycle pays one out, and what came back to a
-- card repays it.
alter table loan_movements
  alter column payment_id drop not null,
  add column card_entry_id uuid references card_entries,
  add constraint loan_movements_cause
    check (payment_id is not null or card_entry_id is not null or kind = 'PAYOUT');
create index loan_movements_card on loan_movements (card_entry_id) where card_entry_id is not null;

-- What the processor told us, as it came: each of its events once.
create table card_news (
  id uuid primary key,
  event_ref text not null unique,
  kind text not null,
  raw jsonb not null,
  received_at timestamptz not null,
  booked_at timestamptz
);

-- The processor of a sandbox: the cards it has issued.
create table sandbox_cards (
  card_id uuid primary key references cards,
  partner_id uuid not null references partners,
  provider_card_id text not null unique,
  last4 text not null,
  state text not null check (state in ('inactive', 'active', 'canceled'))
);

-- Who minted an access token: asked by every call of a borrower, over all walls as for keys.
create function token_holder(wanted uuid)
returns table (key_id uuid, partner_id uuid, caller_id uuid, actor text, version text,
  partner_suspended boolean)
language plpgsql volatile as $$
declare
  walls text := coalesce(current_setting('headroom.partners', true), '');
begin
  perform set_config('headroom.partners', '*', true);
  return query
    select k.id, k.partner_id, k.caller_id, c.actor, k.version, p.status = 'SUSPENDED'
    from keys k join callers c on c.id = k.caller_id join partners p on p.id = k.partner_id
    where k.id = wanted and k.revoked_at is null and coalesce(k.expires_at > now(), true);
  perform set_config('headroom.partners', walls, true);
end $$;

do $$
declare t text;
begin
  foreach t in array array['cards', 'card_orders', 'card_entries', 'sandbox_cards']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy partner_wall on %I
      using (may_see(partner_id)) with check (may_see(partner_id))', t);
  end loop;
end $$;
