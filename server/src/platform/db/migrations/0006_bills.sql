-- Monthly bills of accrued interest.

create table bills (
  id uuid primary key,
  partner_id uuid not null references partners,
  borrower_id uuid not null references borrowers,
  status text not null check (status in ('GENERATED', 'VALIDATED', 'SENT_TO_PAYER', 'TO_PAY',
    'PAID', 'INVALID')),
  period_from date not null,
  -- The period's last day, counted in.
  period_to date not null,
  due_on date not null,
  amount bigint not null,
  -- Paid before the bill was written: it asks for the rest.
  amount_prepaid bigint not null default 0,
  amount_paid bigint not null default 0,
  currency text not null,
  invoice_number text unique,
  reference text not null unique,
  amends_bill_id uuid references bills,
  document_id uuid,
  ran_at timestamptz not null,
  email_sent_at timestamptz,
  created_at timestamptz not null
);
create index bills_page on bills (partner_id, id);
-- No interest is billed twice: one valid bill a borrower and month.
create unique index bills_once on bills (borrower_id, period_from) where status <> 'INVALID';
create index bills_to_send on bills (id) where status = 'GENERATED';
create sequence bill_numbers;

create table bill_lines (
  bill_id uuid not null references bills,
  loan_id uuid not null references loans,
  -- What this bill asks for: rounded interest to the period's end less what was billed before.
  amount bigint not null check (amount <> 0),
  -- What of it is paid: derived from the loan's interest paid, oldest bill first.
  paid bigint not null default 0,
  primary key (bill_id, loan_id)
);
create index bill_lines_loan on bill_lines (loan_id);
alter table payments add foreign key (bill_id) references bills;
alter table loan_movements add foreign key (bill_id) references bills;
