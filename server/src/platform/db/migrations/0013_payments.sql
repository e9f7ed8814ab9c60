-- Payments, bank news, unmatched payments, and kill switches.

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
  -- The loan that the payment is for, if it is for a single one.
  loan_id uuid,
  installment integer,
  bill_id uuid,
  -- An installment of an installment plan. `installment` is a position in the loan's own schedule.
  installment_id uuid,
  terms_id uuid,
  mandate_id uuid,
  wallet_id uuid,
  charged_back_payment_id uuid,
  -- For a refund, the payment whose surplus it sends back.
  refunded_payment_id uuid,
  -- For a debit that replaces a recalled one on the same date, the recalled debit. The payer was
  -- already notified of a debit on that date, so the scheme's notice of one TARGET day suffices.
  recalled_payment_id uuid,
  scheduled_on date not null,
  submitted_at timestamptz,
  paid_on date,
  paid_at timestamptz,
  failure_reason text,
  -- The API's `reason`. Why a payment failed is in failure_reason.
  reason text,
  -- When a settled payment was returned. Stored because many conditions read it; verify compares it
  -- with the payment that took the money back.
  returned_at timestamptz,
  -- When a failed or returned refund was sent again as another payment, which is allowed once.
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
-- A payment is returned at most once.
create unique index payments_charged_back on payments (charged_back_payment_id)
  where charged_back_payment_id is not null;
create index payments_due on payments (scheduled_on) where status = 'SCHEDULED';
create index payments_terms on payments (terms_id) where terms_id is not null;
create index payments_installment on payments (installment_id) where installment_id is not null;
-- Outgoing payments that are instructed but not settled yet.
create index payments_leaving on payments (id) include (amount)
  where direction = 'OUT' and status in ('INSTRUCTED', 'IN_TRANSIT');
create index payments_status on payments (partner_id, status, id);
create index payments_type on payments (partner_id, payment_type, id);
-- Money that payouts must not use, because a refund or revenue share will be paid from it.
create index payments_owed_back on payments (id) include (amount)
  where direction = 'OUT' and status = 'SCHEDULED' and payment_type in ('REFUND', 'REVENUE_SHARE');
-- For lists in other orders: a page is read without sorting the whole list.
create index payments_by_amount on payments (partner_id, amount, id);
create index payments_by_day on payments (partner_id, scheduled_on, id);
create index payments_by_method on payments (partner_id, payment_method, id);
-- The daily run plans canceled debits of fees again. Few payments are such debits.
create index payments_canceled_fees on payments (id)
  where payment_type = 'SUBSCRIPTION' and status = 'CANCELED';
-- Finds the debits of due loans, most of which were never debited.
create index payments_debits on payments (loan_id)
  where direction = 'IN' and payment_method <> 'SCT';
-- Created last: in an almost empty table, all indexes cost the same and plans use the newest.
alter table payments add primary key (partner_id, id);
alter table payments add foreign key (partner_id, charged_back_payment_id) references payments;
alter table payments add foreign key (partner_id, refunded_payment_id) references payments;
alter table payments add foreign key (partner_id, recalled_payment_id) references payments;

-- Orders to the bank. A bank that may already have an order must receive the same one again, so
-- orders never change.
create table bank_orders (
  partner_id uuid not null,
  -- The payment's id, which is the bank's idempotency key.
  id uuid not null,
  content json not null,
  stored_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, id) references payments
);
create trigger bank_orders_stay before update or delete or truncate on bank_orders
  for each statement execute function history_is_kept();

-- The lender's own orders, such as payments to the card processor.
create table lender_orders (
  id uuid primary key,
  content json not null,
  stored_at timestamptz not null
);
create trigger lender_orders_stay before update or delete or truncate on lender_orders
  for each statement execute function history_is_kept();

-- The status of a payment just before `as_of`.
create function payment_status_at(p payments, as_of timestamptz) returns text
language sql stable parallel safe as $$
  select case when p.updated_at < as_of then p.status else (
    select c.to_status from state_changes c
    where c.partner_id = p.partner_id and c.resource_id = p.id and c.at < as_of
    order by c.id desc limit 1) end
$$;

-- The targets of a payment that has several, in the order in which it pays them. A single target is
-- in a column of `payments`. If another payment of a target is returned, this payment's surplus
-- pays it.
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

-- News from the bank, stored raw first and then booked by a job.
create table bank_news (
  id uuid primary key,
  -- Unique, so that news reported twice counts once.
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

-- Unmatched payments belong to the lender, so verify checks their references to partners' payments.
create table suspense_items (
  id uuid primary key,
  bank_news_id uuid not null references bank_news,
  payment_id uuid,
  amount bigint not null check (amount > 0),
  -- The part that moved on our account: positive if received, negative if sent.
  cash bigint not null,
  reason text not null,
  status text not null check (status in ('OPEN', 'MATCHED', 'RETURNING',
    'SENT_BACK', 'DISMISSED', 'LOSS_PROPOSED', 'LOST')),
  matched_payment_id uuid,
  -- The order that returns the money; its id is the bank's idempotency key.
  return_order_id uuid unique,
  submitted_at timestamptz,
  loss_reason text,
  loss_proposed_by uuid references operators,
  loss_approved_by uuid references operators,
  created_at timestamptz not null,
  constraint suspense_items_four_eyes check (loss_approved_by <> loss_proposed_by),
  constraint suspense_items_lost check (status <> 'LOST' or loss_approved_by is not null)
);
-- Money still held, which payouts must not use.
create index suspense_items_held on suspense_items (id)
  where status in ('OPEN', 'RETURNING', 'LOSS_PROPOSED');
-- Finds open items, oldest first, among the many that are resolved.
create index suspense_items_status on suspense_items (status, id);

-- One operator activates a kill switch and another deactivates it. Rows are kept.
create table kill_switches (
  id uuid not null,
  -- The nil id if it applies to all partners.
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

-- Payments to the card processor for card spending. They belong to the lender, not to a partner.
create table processor_payments (
  -- Also the idempotency key of the order to the bank.
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
-- At most one payment is planned or on its way. The next one pays for the spending since.
create unique index processor_payments_open on processor_payments ((true))
  where status in ('SCHEDULED', 'INSTRUCTED');
