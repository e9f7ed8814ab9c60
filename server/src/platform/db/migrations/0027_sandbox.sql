-- A sandbox's simulated bank, compliance check, company registry and card processor.

-- The simulated bank's books. No table of the service refers to them.
create table sandbox_bank_instructions (
  id uuid not null,
  -- The nil id for an order of the lender.
  partner_id uuid not null,
  payment_id uuid not null unique,
  kind text not null check (kind in ('SCT', 'SDD')),
  -- Determines how long a debit can be returned.
  scheme text check (scheme in ('CORE', 'B2B')),
  direction text not null check (direction in ('OUT', 'IN')),
  amount bigint not null check (amount > 0),
  currency text not null,
  counterparty_iban text not null,
  counterparty_name text not null,
  "references" text[] not null,
  requested_on date not null,
  -- The day of the next automatic step, due_trigger.
  due_on date not null,
  due_trigger text not null check (due_trigger in ('transmit', 'settle', 'reject', 'recall')),
  state text not null check (state in ('PENDING', 'IN_TRANSIT', 'SETTLED', 'REJECTED',
    'RETURNED', 'REFUNDED', 'REVERSED', 'CANCELED')),
  settled_on date,
  loan_ids uuid[] not null,
  created_at timestamptz not null,
  primary key (partner_id, id)
);
create index sandbox_bank_instructions_due on sandbox_bank_instructions (due_on)
  where state in ('PENDING', 'IN_TRANSIT');

-- Every order that the simulated bank received, including those it refused.
create table sandbox_bank_orders (
  payment_id uuid primary key,
  content json not null,
  refused_for text,
  created_at timestamptz not null
);

-- The simulated bank's news, in order of occurrence. Each item is reported until the service has
-- received it.
create table sandbox_bank_statement (
  id uuid primary key,
  kind text not null,
  instruction_id uuid,
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

-- The simulated bank's wallets. No table of the service refers to them.
create table sandbox_bank_wallets (
  partner_id uuid not null,
  account_number text not null,
  holder_name text not null,
  balance bigint not null default 0 check (balance >= 0),
  created_at timestamptz not null,
  primary key (partner_id, account_number)
);

-- The status that the simulated compliance check returns for a company, instead of APPROVED.
create table sandbox_compliance (
  partner_id uuid not null,
  company_key text not null,
  status text not null
    check (status in ('UNKNOWN', 'REVIEWING', 'APPROVED', 'REJECTED', 'PENDING_USER_ACTION')),
  updated_at timestamptz not null,
  primary key (partner_id, company_key)
);

-- Registry data that overrides what the simulated registry derives from a company's number.
create table sandbox_companies (
  partner_id uuid not null references partners,
  company_key text not null,
  insolvent_since date,
  creation_date date,
  is_active boolean,
  updated_at timestamptz not null,
  primary key (partner_id, company_key)
);

create table sandbox_cards (
  card_id uuid not null,
  partner_id uuid not null references partners,
  provider_card_id text not null unique,
  last4 text not null,
  state text not null check (state in ('inactive', 'active', 'canceled')),
  primary key (partner_id, card_id),
  foreign key (partner_id, card_id) references cards
);
