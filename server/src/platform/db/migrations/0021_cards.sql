-- Cards, orders to the card processor, card entries, and the processor's news.

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
  -- The Idempotency-Key of the request, so that a repeated request finds the card.
  request_key text,
  -- The processor that issues the card. brand to issued_at are null until it has done so.
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
-- Created last: in an almost empty table, all indexes cost the same and plans use the newest.
alter table cards add primary key (partner_id, id);

-- Orders to the card processor, each stored before it is sent. The orders of a card are sent one
-- after the other, in order of position.
create table card_orders (
  id uuid not null,
  partner_id uuid not null references partners,
  card_id uuid not null,
  position integer not null,
  -- `read_status` requests the card's status after the processor has reported a change.
  kind text not null check (kind in ('issue', 'set_status', 'read_status')),
  wanted_status text check (wanted_status in ('inactive', 'active', 'canceled')),
  -- The card as ordered, so that a retry sends the same content. Cleared once answered.
  to_issue jsonb,
  -- The Idempotency-Key of the request, so that a repeated request does not undo later ones.
  request_key text,
  actor text not null,
  -- Until this real time, one process has the turn to send the order. The turn of a dead process
  -- expires.
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
  -- Cents; negative for money that returns to the card.
  amount bigint not null,
  -- Cents held on the line: the whole authorization until it clears, then the uncleared remainder.
  held bigint not null default 0 check (held >= 0),
  currency text not null,
  merchant_name text not null,
  merchant_category text not null,
  merchant_amount bigint,
  merchant_currency text,
  decline_reason text,
  -- The processor's ids of the authorization and of the cleared transaction. Each has one entry.
  authorization_ref text,
  transaction_ref text,
  -- For a further transaction cleared under an authorization, the entry of the authorization.
  authorization_entry_id uuid,
  -- The authorization as last reported: its state and the amount held, the report's rank, and the
  -- transactions that the report counts as cleared.
  authorization_state text
    check (authorization_state in ('open', 'closed', 'reversed', 'declined')),
  authorized bigint not null default 0 check (authorized >= 0),
  news_rank bigint not null default 0,
  told_cleared text[] not null default '{}',
  -- For money that returns to a card, the processor's id of the purchase. The purchase may not be
  -- known here yet.
  original_ref text,
  -- The first day on which the authorization no longer holds anything.
  lapses_on date,
  cleared_on date,
  cleared_at timestamptz,
  -- For money that returned to a card, the part that repaid loans of earlier cycles.
  repaid bigint not null default 0 check (repaid >= 0),
  -- The loan that the entry is part of. For a credit that repaid loans, the last one, once the
  -- whole credit is used.
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
-- Finds the entries that a report is about. Entries written in the same database transaction are
-- not in the directory yet.
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

-- The processor's events, stored raw. Each counts once.
create table card_news (
  id uuid primary key,
  event_ref text not null unique,
  kind text not null,
  raw jsonb not null,
  -- The transaction that must be booked first. A report of a dispute names only the disputed
  -- transaction, so the card is unknown until then.
  waits_for text,
  received_at timestamptz not null,
  booked_at timestamptz
);
create index card_news_waiting on card_news (waits_for) where booked_at is null;

alter table loan_movements add foreign key (partner_id, card_entry_id) references card_entries;
