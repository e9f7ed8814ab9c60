-- Cards: what they may spend of a line, what they did, and what the processor told us.

create table cards (
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null,
  credit_line_id uuid not null,
  caller_id uuid not null,
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
  provider_card_id text,
  issued_at timestamptz,
  created_at timestamptz not null,
  unique (partner_id, request_key),
  foreign key (partner_id, borrower_id) references borrowers,
  foreign key (partner_id, credit_line_id) references credit_lines,
  foreign key (partner_id, caller_id) references callers
);
create index cards_borrower on cards (borrower_id, id);
-- Last: of indexes that cost the same, as long as there is next to nothing, plans take the newest.
alter table cards add primary key (partner_id, id);

-- What the processor is asked to do: kept before it is asked, and until it has answered. Orders of
-- one card go to the processor one after the other, in the order they were taken.
create table card_orders (
  id uuid not null,
  partner_id uuid not null references partners,
  card_id uuid not null,
  position integer not null,
  -- `read_status` asks how the card stands, after the processor told that somebody changed it.
  kind text not null check (kind in ('issue', 'set_status', 'read_status')),
  wanted_status text check (wanted_status in ('inactive', 'active', 'canceled')),
  -- The card as it was ordered, so that the same order asks for the same again; then forgotten.
  to_issue jsonb,
  -- The Idempotency-Key of the request for it, so that a repeat does not come after later wishes.
  request_key text,
  actor text not null,
  -- Whoever asks the processor has its turn until then, in real time; dead ones leave it behind.
  asked_until timestamptz,
  answered_at timestamptz,
  refusal text,
  created_at timestamptz not null,
  primary key (partner_id, id),
  constraint card_orders_wish check ((kind = 'set_status') = (wanted_status is not null)),
  constraint card_orders_place unique (partner_id, card_id, position),
  foreign key (partner_id, card_id) references cards
);
create index card_orders_open on card_orders (partner_id, card_id, position)
  where answered_at is null;
create index card_orders_request on card_orders (partner_id, request_key)
  where request_key is not null;

create table card_entries (
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null,
  credit_line_id uuid not null,
  card_id uuid not null,
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
  authorization_ref text,
  transaction_ref text,
  -- The entry of the authorisation that this was cleared under, when it has had one before.
  authorization_entry_id uuid,
  -- How the authorisation stands by the newest news: what is held, and what was cleared by then.
  authorization_state text
    check (authorization_state in ('open', 'closed', 'reversed', 'declined')),
  authorized bigint not null default 0 check (authorized >= 0),
  news_rank bigint not null default 0,
  told_cleared text[] not null default '{}',
  -- Money that comes back to a card names its purchase in the processor's words, which may come
  -- before anything of that purchase is known here.
  original_ref text,
  -- Held until then at most.
  lapses_on date,
  cleared_on date,
  cleared_at timestamptz,
  -- Of money that came back: what repaid loans of earlier cycles.
  repaid bigint not null default 0 check (repaid >= 0),
  -- The loan that it went into, or repaid in full.
  loan_id uuid,
  created_at timestamptz not null,
  primary key (partner_id, id),
  check (held = 0 or status in ('pending', 'completed')),
  foreign key (partner_id, borrower_id) references borrowers,
  foreign key (partner_id, credit_line_id) references credit_lines,
  foreign key (partner_id, card_id) references cards,
  foreign key (partner_id, authorization_entry_id) references card_entries,
  foreign key (partner_id, loan_id) references loans
);
-- News of a card finds its own entries, also those of the same transaction.
create unique index card_entries_authorization_ref on card_entries (partner_id, authorization_ref)
  where authorization_ref is not null;
create unique index card_entries_transaction_ref on card_entries (partner_id, transaction_ref)
  where transaction_ref is not null;
create index card_entries_card on card_entries (card_id, created_at desc);
create index card_entries_line on card_entries (credit_line_id) where held > 0;
create index card_entries_unfinanced on card_entries (credit_line_id, cleared_on)
  where status = 'completed' and loan_id is null;
create index card_entries_lapsing on card_entries (lapses_on)
  where held > 0 or status = 'pending';
create index card_entries_authorization on card_entries (authorization_entry_id);
create index card_entries_loan on card_entries (loan_id);
create index card_entries_original on card_entries (original_ref) where original_ref is not null;

-- What the processor told us, as it came: each of its events once.
create table card_news (
  id uuid primary key,
  event_ref text not null unique,
  kind text not null,
  raw jsonb not null,
  -- What the processor tells of a dispute names nothing but what is disputed: until that is booked,
  -- and says whose card it was, it waits.
  waits_for text,
  received_at timestamptz not null,
  booked_at timestamptz
);
create index card_news_waiting on card_news (waits_for) where booked_at is null;

-- Foreign keys of tables of lower rooms.
alter table loan_movements add foreign key (partner_id, card_entry_id) references card_entries;
