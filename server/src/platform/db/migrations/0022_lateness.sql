-- Lateness: which loans are late by now, and what was done about it.

create table late_loans (
  loan_id uuid primary key references loans,
  partner_id uuid not null references partners,
  borrower_id uuid not null references borrowers,
  -- The day from which its days late are counted; another one is another lateness.
  late_from date not null,
  -- The last of the days of reminders that a mail went out for; 0 before the first.
  reminded_day integer not null default 0,
  -- Whether recollection was told.
  case_told boolean not null default false,
  noted_at timestamptz not null
);
create index late_loans_borrower on late_loans (borrower_id);

alter table late_loans enable row level security;
alter table late_loans force row level security;
create policy partner_wall on late_loans
  using (may_see(partner_id)) with check (may_see(partner_id));

-- What the daily run begins with: loans that may be late, bills that may be, and borrowers blocked.
create index loans_due on loans (to_repay_on, borrower_id) where status = 'TO_REPAY';
create index loan_installments_due on loan_installments (due_on, loan_id);
create index bills_due on bills (due_on, borrower_id)
  where borrower_id is not null and status = 'TO_PAY';
create index borrowers_blocked on borrowers (id) where status = 'BLOCKED';

-- Whether the debit that collects what a loan owes next is still to come.
create function loan_debit_to_come(l loans) returns boolean language sql stable as $$
  select exists (select from payments p
    where p.loan_id = l.id and p.direction = 'IN' and p.payment_method = 'DIRECT_DEBIT'
      and p.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT')
      and p.installment is not distinct from (select min(i.position) from loan_installments i
        where i.loan_id = l.id and i.amount_until > l.principal_repaid))
$$;
