-- Collections: cases, installment plans, and fees collected for partners.

create table recollection_cases (
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null,
  status text not null check (status in ('OPEN', 'CLOSED')),
  -- Whether the case closed because nothing was owed. It reopens if one of its debts is owed again.
  is_settled boolean not null default false,
  agent text not null,
  notes jsonb,
  -- The client reference, and the hash of the request that used it.
  salt_id text,
  request_hash text,
  created_at timestamptz not null,
  closed_at timestamptz,
  close_reason text,
  primary key (partner_id, id),
  foreign key (partner_id, borrower_id) references borrowers
);
create index recollection_cases_borrower on recollection_cases (borrower_id);
create unique index recollection_cases_salt on recollection_cases (partner_id, salt_id)
  where salt_id is not null;

create table recollection_case_loans (
  case_id uuid not null,
  loan_id uuid not null,
  partner_id uuid not null references partners,
  is_open boolean not null,
  primary key (partner_id, case_id, loan_id),
  foreign key (partner_id, case_id) references recollection_cases,
  foreign key (partner_id, loan_id) references loans
);
-- A loan is in at most one open case.
create unique index recollection_case_loans_open on recollection_case_loans (partner_id, loan_id)
  where is_open;

create table recollection_case_bills (
  case_id uuid not null,
  bill_id uuid not null,
  partner_id uuid not null references partners,
  is_open boolean not null,
  primary key (partner_id, case_id, bill_id),
  foreign key (partner_id, case_id) references recollection_cases,
  foreign key (partner_id, bill_id) references bills
);
create unique index recollection_case_bills_open on recollection_case_bills (partner_id, bill_id)
  where is_open;

create table recollection_actions (
  id uuid not null,
  partner_id uuid not null references partners,
  case_id uuid not null,
  name text not null,
  description text,
  original_due_on date not null,
  due_on date not null,
  status text not null check (status in ('SCHEDULED', 'DONE', 'CANCELED')),
  status_at timestamptz not null,
  details text,
  primary key (partner_id, id),
  foreign key (partner_id, case_id) references recollection_cases
);
create index recollection_actions_case on recollection_actions (partner_id, case_id);
create index recollection_actions_due on recollection_actions (due_on) where status = 'SCHEDULED';

-- Periods in which, by law, the loans of a case bear no interest.
create table recollection_interest_stops (
  id uuid not null,
  partner_id uuid not null references partners,
  case_id uuid not null,
  -- The first day without interest, and the first day with interest again.
  stopped_on date not null,
  resumed_on date check (resumed_on >= stopped_on),
  reason text not null check (reason <> ''),
  resume_reason text check (resume_reason <> ''),
  stopped_by uuid not null references operators,
  resumed_by uuid references operators,
  created_at timestamptz not null,
  check ((resumed_on is null) = (resumed_by is null)
    and (resumed_on is null) = (resume_reason is null)),
  primary key (partner_id, id),
  foreign key (partner_id, case_id) references recollection_cases
);
create unique index recollection_interest_stops_open
  on recollection_interest_stops (partner_id, case_id) where resumed_on is null;
create index recollection_interest_stops_case
  on recollection_interest_stops (partner_id, case_id, id);

create table installment_plans (
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null,
  case_id uuid,
  status text not null
    check (status in ('DRAFT', 'SCHEDULED', 'ACTIVE', 'COMPLETED', 'BROKEN', 'CANCELED')),
  repayment_method text not null check (repayment_method in ('DIRECT_DEBIT', 'SCT', 'P2P')),
  -- Whether the plan amends the agreement: days past due then count from the plan's due dates.
  is_contractual boolean not null,
  -- Days past due after which an unpaid installment breaks the plan.
  grace_days integer not null,
  from_account jsonb,
  -- For a transfer that pays the open installments, oldest first.
  reference text not null,
  caller_id text not null,
  salt_id text,
  request_hash text,
  created_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, borrower_id) references borrowers,
  foreign key (partner_id, case_id) references recollection_cases
);
create index installment_plans_case on installment_plans (case_id);
create unique index installment_plans_salt on installment_plans (partner_id, salt_id)
  where salt_id is not null;
create index installment_plans_live on installment_plans (id)
  where status in ('SCHEDULED', 'ACTIVE');

create table plan_installments (
  id uuid not null,
  partner_id uuid not null references partners,
  plan_id uuid not null,
  position integer not null,
  status text not null
    check (status in ('DRAFT', 'SCHEDULED', 'PARTIALLY_PAID', 'PAID', 'ISSUE_DETECTED',
    'CANCELED')),
  due_on date not null,
  -- For a transfer that pays this installment.
  reference text not null,
  partner_reference text,
  paid_on date,
  -- When the borrower was reminded of the overdue installment. Not set in contractual plans, which
  -- send reminders on the days on which loans do.
  reminded_on date,
  updated_at timestamptz not null,
  primary key (partner_id, id),
  unique (plan_id, position),
  foreign key (partner_id, plan_id) references installment_plans
);
create index plan_installments_unpaid on plan_installments (due_on)
  where status in ('SCHEDULED', 'PARTIALLY_PAID', 'ISSUE_DETECTED');

create table installment_parts (
  id uuid not null,
  partner_id uuid not null references partners,
  installment_id uuid not null,
  kind text not null check (kind in ('LOAN', 'BILL', 'FEES')),
  loan_id uuid,
  bill_id uuid,
  -- The planned amount. `due` is less after early payments or a waiver of fees.
  amount bigint not null check (amount > 0),
  due bigint not null check (due >= 0 and due <= amount),
  paid bigint not null default 0 check (paid >= 0),
  primary key (partner_id, id),
  check ((kind = 'LOAN') = (loan_id is not null) and (kind = 'BILL') = (bill_id is not null)),
  foreign key (partner_id, installment_id) references plan_installments,
  foreign key (partner_id, loan_id) references loans,
  foreign key (partner_id, bill_id) references bills
);
create index installment_parts_installment on installment_parts (installment_id);
create index installment_parts_loan on installment_parts (loan_id) where loan_id is not null;
create index installment_parts_bill on installment_parts (bill_id) where bill_id is not null;

-- The allocation of payments to parts.
create table installment_shares (
  payment_id uuid not null,
  part_id uuid not null,
  partner_id uuid not null references partners,
  amount bigint not null check (amount > 0),
  value_on date not null,
  revocable_until date,
  voided_at timestamptz,
  primary key (partner_id, payment_id, part_id),
  foreign key (partner_id, payment_id) references payments,
  foreign key (partner_id, part_id) references installment_parts
);
create index installment_shares_part on installment_shares (part_id);

create table recollection_payouts (
  payment_id uuid not null,
  partner_id uuid not null references partners,
  amount bigint not null check (amount > 0),
  primary key (partner_id, payment_id),
  foreign key (partner_id, payment_id) references payments
);

alter table payments add foreign key (partner_id, installment_id) references plan_installments;
