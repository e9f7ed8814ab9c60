-- Money on its way, what the bank told us, and money nobody could place.

create table payments (
  id uuid primary key,
  partner_id uuid not null references partners,
  borrower_id uuid references borrowers,
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
  loan_id uuid references loans,
  bill_id uuid,
  mandate_id uuid references mandates,
  charged_back_payment_id uuid references payments,
  -- Of a refund: the payment whose surplus it gives back.
  refunded_payment_id uuid references payments,
  scheduled_on date not null,
  submitted_at timestamptz,
  paid_on date,
  paid_at timestamptz,
  failure_reason text,
  bank_reference text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index payments_page on payments (partner_id, id);
create index payments_loan on payments (loan_id);
create index payments_bill on payments (bill_id);
-- Money comes back once.
create unique index payments_charged_back on payments (charged_back_payment_id)
  where charged_back_payment_id is not null;
create index payments_due on payments (scheduled_on) where status = 'SCHEDULED';
alter table loan_movements add foreign key (payment_id) references payments;

-- What comes in from the bank is stored raw first, then booked at our own pace.
create table bank_news (
  id uuid primary key,
  -- The bank's own reference of this fact: the same fact counts once.
  bank_reference text not null unique,
  kind text not null check (kind in ('SETTLED', 'REJECTED', 'CANCELED', 'RETURNED', 'REFUNDED',
    'REVERSED', 'TRANSFER_IN')),
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

create table suspense_items (
  id uuid primary key,
  bank_news_id uuid not null references bank_news,
  payment_id uuid references payments,
  amount bigint not null check (amount > 0),
  -- What of it moved on our account: received positive, sent negative.
  cash bigint not null,
  reason text not null,
  status text not null check (status in ('OPEN', 'MATCHED', 'SENT_BACK')),
  created_at timestamptz not null
);
create index suspense_items_open on suspense_items (id) where status = 'OPEN';

-- The sandbox bank's own books. No table of ours refers to it.
create table sandbox_bank_instructions (
  id uuid primary key,
  payment_id uuid not null unique,
  kind text not null check (kind in ('SCT', 'SDD')),
  direction text not null check (direction in ('OUT', 'IN')),
  amount bigint not null check (amount > 0),
  currency text not null,
  counterparty_iban text not null,
  counterparty_name text not null,
  "references" text[] not null,
  requested_on date not null,
  settles_on date not null,
  -- What becomes of it on that day by itself; told by the account that is paid.
  due_trigger text not null check (due_trigger in ('settle', 'reject', 'recall')),
  state text not null check (state in ('PENDING', 'SETTLED', 'REJECTED', 'RETURNED', 'REFUNDED',
    'REVERSED', 'CANCELED')),
  settled_on date,
  loan_ids uuid[] not null,
  partner_id uuid not null,
  created_at timestamptz not null
);
create index sandbox_bank_instructions_page on sandbox_bank_instructions (partner_id, id);
create index sandbox_bank_instructions_due on sandbox_bank_instructions (settles_on)
  where state = 'PENDING';

-- What the sandbox bank has to tell, in the order it happened; told again until it was heard.
create table sandbox_bank_statement (
  id uuid primary key,
  kind text not null,
  instruction_id uuid references sandbox_bank_instructions,
  payment_id uuid,
  amount bigint not null check (amount > 0),
  value_on date not null,
  reason_code text,
  raw jsonb not null,
  created_at timestamptz not null,
  told_at timestamptz
);
create index sandbox_bank_statement_instruction on sandbox_bank_statement (instruction_id);
create index sandbox_bank_statement_untold on sandbox_bank_statement (id) where told_at is null;

-- What the sandbox's compliance check says of a company when it is not APPROVED by itself.
create table sandbox_compliance (
  partner_id uuid not null,
  company_key text not null,
  status text not null
    check (status in ('UNKNOWN', 'REVIEWING', 'APPROVED', 'REJECTED', 'PENDING_USER_ACTION')),
  updated_at timestamptz not null,
  primary key (partner_id, company_key)
);
