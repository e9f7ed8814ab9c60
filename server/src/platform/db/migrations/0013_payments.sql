-- Money on its way, what the bank told us, money nobody could place, and what stops payments.

create table payments (
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid,
  payment_type text not null,
  payment_method text not null check (payment_method in ('DIRECT_DEBIT', 'SCT', 'P2P')),
  direction text not null check (direction in ('IN', 'OUT')),
  status text not null check (status in ('PROPOSED', 'SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT',
    'PAID', 'FAILED', 'CANCELED')),
  amount bigint not null check (amount > 0),
  currency text not null,
  from_account jsonb,
  to_account jsonb,
  from_references text[] not null default '{}',
  to_references text[] not null default '{}',
  -- The loan or bill it was made for; null when money came in unasked.
  loan_id uuid,
  -- Which part of a loan a debit collects.
  installment integer,
  bill_id uuid,
  -- The installment of a plan that a debit collects.
  installment_id uuid,
  -- Which terms a payment came by.
  terms_id uuid,
  mandate_id uuid,
  wallet_id uuid,
  charged_back_payment_id uuid,
  -- Of a refund: the payment whose surplus it gives back.
  refunded_payment_id uuid,
  -- The debit that collects what is left of one that was recalled. Its payer expects a debit that
  -- day, so the schemes' own notice of one TARGET day is enough for it.
  recalled_payment_id uuid,
  scheduled_on date not null,
  submitted_at timestamptz,
  paid_on date,
  paid_at timestamptz,
  failure_reason text,
  -- What there is to tell of a payment beside why it failed.
  reason text,
  -- When a settled payment was returned, stored with it: many conditions ask whether money stayed
  -- where it was paid. `verify` compares it with the payment that took the money back.
  returned_at timestamptz,
  -- A refund that failed or came back is sent again as a payment of its own, once.
  sent_again_at timestamptz,
  bank_reference text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  foreign key (partner_id, borrower_id) references borrowers,
  foreign key (partner_id, mandate_id) references mandates,
  foreign key (partner_id, wallet_id) references wallets
);
create index payments_loan on payments (loan_id);
create index payments_bill on payments (bill_id);
-- Money comes back once.
create unique index payments_charged_back on payments (charged_back_payment_id)
  where charged_back_payment_id is not null;
create index payments_due on payments (scheduled_on) where status = 'SCHEDULED';
create index payments_terms on payments (terms_id) where terms_id is not null;
create index payments_installment on payments (installment_id) where installment_id is not null;
-- What the bank was told to pay and has not told of yet.
create index payments_leaving on payments (id) include (amount)
  where direction = 'OUT' and status in ('INSTRUCTED', 'IN_TRANSIT');
create index payments_status on payments (partner_id, status, id);
create index payments_type on payments (partner_id, payment_type, id);
-- What payouts may not use: money that is to be paid back or on already.
create index payments_owed_back on payments (id) include (amount)
  where direction = 'OUT' and status = 'SCHEDULED' and payment_type in ('REFUND', 'REVENUE_SHARE');
-- Lists of payments ordered by what one asks for: a page is read, not the whole list sorted.
create index payments_by_amount on payments (partner_id, amount, id);
create index payments_by_day on payments (partner_id, scheduled_on, id);
create index payments_by_method on payments (partner_id, payment_method, id);
-- The daily run plans the debits of fees anew that were canceled: few among all payments ever made.
create index payments_canceled_fees on payments (id)
  where payment_type = 'SUBSCRIPTION' and status = 'CANCELED';
-- Whether a loan was ever debited is asked of every loan that is due, and of most the answer is no.
create index payments_debits on payments (loan_id)
  where direction = 'IN' and payment_method <> 'SCT';
-- Last: of indexes that cost the same, as long as there is next to nothing, plans take the newest.
alter table payments add primary key (partner_id, id);
alter table payments add foreign key (partner_id, charged_back_payment_id) references payments;
alter table payments add foreign key (partner_id, refunded_payment_id) references payments;
alter table payments add foreign key (partner_id, recalled_payment_id) references payments;

-- Orders to the bank, as they were first sent. A bank that may have an order gets the same one
-- again, so it never changes.
create table bank_orders (
  partner_id uuid not null,
  -- The payment, whose id is the bank's idempotency key.
  id uuid not null,
  content json not null,
  stored_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, id) references payments
);
create trigger bank_orders_stay before update or delete or truncate on bank_orders
  for each statement execute function history_is_kept();

-- The lender's own orders: payments to the card processor, and unmatched payments that go back.
create table lender_orders (
  id uuid primary key,
  content json not null,
  stored_at timestamptz not null
);
create trigger lender_orders_stay before update or delete or truncate on lender_orders
  for each statement execute function history_is_kept();

-- The status of a payment just before a moment.
create function payment_status_at(p payments, as_of timestamptz) returns text
language sql stable parallel safe as $$
  select case when p.updated_at < as_of then p.status else (
    select c.to_status from state_changes c
    where c.partner_id = p.partner_id and c.resource_id = p.id and c.at < as_of
    order by c.id desc limit 1) end
$$;

-- What a transfer names when it names more than one thing, in the order in which it pays them. One
-- that names a single thing has it in its own column. When another collection of the same debts
-- comes back, money that was too much only beside it pays them after all.
create table payment_names (
  payment_id uuid not null,
  position int not null,
  partner_id uuid not null references partners,
  kind text not null check (kind in ('installment', 'loan', 'bill')),
  named_id uuid not null,
  primary key (partner_id, payment_id, position),
  foreign key (partner_id, payment_id) references payments
);
create index payment_names_named on payment_names (named_id);

-- What comes in from the bank is stored raw first, then booked at our own pace.
create table bank_news (
  id uuid primary key,
  -- The bank's own reference of this fact: the same fact counts once.
  bank_reference text not null unique,
  kind text not null check (kind in ('IN_TRANSIT', 'SETTLED', 'REJECTED', 'CANCELED',
    'RETURNED', 'REFUNDED', 'REVERSED', 'TRANSFER_IN')),
  payment_id uuid,
  amount bigint not null check (amount > 0),
  value_on date not null,
  reason_code text,
  raw jsonb not null,
  received_at timestamptz not null,
  booked_at timestamptz,
  outcome text
);
create index bank_news_unbooked on bank_news (payment_id, id) where booked_at is null;

-- They belong to the lender, so their references to payments of partners are checked by `verify`.
create table suspense_items (
  id uuid primary key,
  bank_news_id uuid not null references bank_news,
  payment_id uuid,
  amount bigint not null check (amount > 0),
  -- What of it moved on our account: received positive, sent negative.
  cash bigint not null,
  reason text not null,
  status text not null check (status in ('OPEN', 'MATCHED', 'RETURNING',
    'SENT_BACK', 'DISMISSED', 'LOSS_PROPOSED', 'LOST')),
  -- The payment that it became.
  matched_payment_id uuid,
  -- The order that sends it back, as the bank knows it.
  return_order_id uuid unique,
  submitted_at timestamptz,
  loss_reason text,
  loss_proposed_by uuid references operators,
  loss_approved_by uuid references operators,
  created_at timestamptz not null,
  constraint suspense_items_four_eyes check (loss_approved_by <> loss_proposed_by),
  constraint suspense_items_lost check (status <> 'LOST' or loss_approved_by is not null)
);
-- What is still held: read whenever payouts are to leave.
create index suspense_items_held on suspense_items (id)
  where status in ('OPEN', 'RETURNING', 'LOSS_PROPOSED');
-- What waits in suspense is read by status, oldest first, beside all that was seen to.
create index suspense_items_status on suspense_items (status, id);

-- Thrown by one person, lifted by another; those that were lifted are kept.
create table kill_switches (
  id uuid not null,
  -- The nil id: of all partners.
  partner_id uuid not null,
  kind text not null check (kind in ('payouts', 'collections', 'partner')),
  reason text not null,
  thrown_by uuid not null references operators,
  thrown_at timestamptz not null,
  lifted_by uuid references operators check (lifted_by <> thrown_by),
  lifted_at timestamptz,
  primary key (partner_id, id),
  check ((partner_id = '00000000-0000-0000-0000-000000000000') = (kind <> 'partner'))
);
create unique index kill_switches_thrown on kill_switches (partner_id, kind)
  where lifted_at is null;

-- What card spending has cost is paid to the card processor: the lender's own payments, nobody's
-- of its partners.
create table processor_payments (
  -- The bank's key for the order.
  id uuid primary key,
  processor text not null,
  to_iban text not null,
  to_name text not null,
  amount bigint not null check (amount > 0),
  status text not null
    check (status in ('SCHEDULED', 'INSTRUCTED', 'PAID', 'FAILED', 'RETURNED', 'CANCELED')),
  scheduled_on date not null,
  submitted_at timestamptz,
  paid_on date,
  failure_reason text,
  created_at timestamptz not null
);
-- At most one is planned or on its way: the next takes what came since.
create unique index processor_payments_open on processor_payments ((true))
  where status in ('SCHEDULED', 'INSTRUCTED');
