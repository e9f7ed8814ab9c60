-- Loans: the request, the money state derived from its movements, and its log.

create table loans (
  id uuid primary key,
  partner_id uuid not null references partners,
  borrower_id uuid not null references borrowers,
  credit_line_id uuid references credit_lines,
  product_id uuid references products,
  borrower_product_id uuid references borrower_products,
  caller_id uuid not null references callers,
  loan_type text not null,
  status text not null check (status in ('SUBMITTED', 'PENDING_VALIDATION', 'TO_VALIDATE',
    'VALIDATED', 'SCHEDULED', 'INITIATED', 'TO_REPAY', 'TO_REPAY_FEES', 'CLOSED', 'DECLINED',
    'CANCELED', 'DELETED', 'ISSUE_DETECTED')),
  denial_reason text,
  amount bigint not null check (amount > 0),
  currency text not null check (currency = 'EUR'),
  rate_ppm integer not null,
  salt_id text,
  request_hash text not null,
  auto_validate boolean not null,
  to_pay_on date not null,
  to_repay_on date not null,
  contractual_repayment_on date not null,
  loan_to jsonb not null,
  loan_to_references text[] not null,
  repayment_from_references text[] not null,
  repayment_method text not null check (repayment_method in ('DIRECT_DEBIT', 'SCT', 'P2P')),
  mandate_id uuid references mandates,
  repayment_iban text not null,
  repayment_reference text not null unique,
  notification_emails text[] not null,
  metadata jsonb not null,
  contract_document_id uuid,
  -- Principal this loan holds on its line: until payout, and while a debit is revocable.
  reserved bigint not null check (reserved >= 0),
  submitted_at timestamptz not null,
  -- Derived from the movements; verify recomputes.
  paid_out_on date,
  principal_outstanding bigint not null default 0 check (principal_outstanding >= 0),
  principal_repaid bigint not null default 0 check (principal_repaid >= 0),
  principal_repaid_on date,
  interest_accrued bigint not null default 0,
  interest_billed bigint not null default 0,
  interest_paid bigint not null default 0,
  surplus bigint not null default 0,
  surplus_refunded bigint not null default 0,
  closed_at timestamptz
);
create unique index loans_salt on loans (partner_id, salt_id) where salt_id is not null;
create index loans_page on loans (partner_id, id);
create index loans_borrower on loans (borrower_id, id);
create index loans_status on loans (partner_id, status, id);
create index loans_to_repay on loans (partner_id, to_repay_on, id);
create index loans_to_pay on loans (partner_id, to_pay_on, id);
create index loans_held on loans (to_pay_on) where status in
  ('PENDING_VALIDATION', 'TO_VALIDATE');
create index loans_undecided on loans (borrower_id) where status in
  ('SUBMITTED', 'PENDING_VALIDATION', 'TO_VALIDATE');
create index loans_unbilled on loans (borrower_id) where interest_billed <> interest_accrued
  or status in ('TO_REPAY', 'TO_REPAY_FEES');
create index loans_revocable on loans (id) where reserved > 0 and paid_out_on is not null;

-- Facts that move a loan's money, by value date. A payout sent back or a collection returned
-- voids its movement: the loan is then what it would be had the money never moved.
create table loan_movements (
  id uuid primary key,
  partner_id uuid not null references partners,
  loan_id uuid not null references loans,
  kind text not null check (kind in ('PAYOUT', 'REPAYMENT', 'BILL_PAYMENT', 'EXTRA')),
  payment_id uuid not null,
  bill_id uuid,
  amount bigint not null check (amount > 0),
  value_on date not null,
  booked_at timestamptz not null,
  voided_at timestamptz,
  -- A direct debit may come back until then; its principal stays reserved on the line.
  revocable_until date,
  -- How the fold shared this money out; changes when an earlier fact becomes known.
  principal bigint not null default 0,
  interest bigint not null default 0,
  surplus bigint not null default 0
);
create index loan_movements_loan on loan_movements (loan_id);
create index loan_movements_payment on loan_movements (payment_id);
create index loan_movements_revocable on loan_movements (revocable_until)
  where revocable_until is not null and voided_at is null;

-- Principal outstanding from a day on, until the next step: what interest is counted on.
create table loan_principal_steps (
  loan_id uuid not null references loans,
  from_on date not null,
  principal bigint not null check (principal >= 0),
  primary key (loan_id, from_on)
);

-- The log behind GET /events.
create table loan_log (
  id uuid primary key,
  partner_id uuid not null references partners,
  loan_id uuid not null references loans,
  event_type text not null,
  principal_amount bigint,
  fees_amount bigint,
  event_at timestamptz not null
);
create index loan_log_page on loan_log (partner_id, id);
create index loan_log_loan on loan_log (loan_id, id);
