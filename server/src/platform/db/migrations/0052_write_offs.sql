-- Loans that are written off: proposed by one of the lender's people, agreed to by another.

create table write_offs (
  id uuid primary key,
  partner_id uuid not null references partners,
  loan_id uuid not null references loans,
  -- Accrual ends there; money valued later is recovery.
  written_off_on date not null,
  reason text not null check (reason <> ''),
  status text not null check (status in ('PROPOSED', 'IN_FORCE', 'REJECTED', 'ENDED')),
  proposed_by uuid not null references operators,
  approved_by uuid references operators,
  proposed_at timestamptz not null,
  in_force_at timestamptz,
  check (approved_by <> proposed_by),
  check (status not in ('IN_FORCE', 'ENDED') or approved_by is not null)
);
create unique index write_offs_open on write_offs (loan_id)
  where status in ('PROPOSED', 'IN_FORCE');
create index write_offs_proposed on write_offs (id) where status = 'PROPOSED';
alter table write_offs enable row level security;
alter table write_offs force row level security;
create policy partner_wall on write_offs
  using (may_see(partner_id)) with check (may_see(partner_id));

-- The day from a write-off in force, and what the fold makes of it.
alter table loans
  add column written_off_on date,
  add column principal_written_off bigint not null default 0,
  add column interest_written_off bigint not null default 0,
  add column principal_recovered bigint not null default 0,
  add column interest_recovered bigint not null default 0,
  -- What of the interest lost, less recovered, was to be the partner's.
  add column mark_up_written_off bigint not null default 0;
-- Whose borrowers may not draw until they have paid.
create index loans_written_off on loans (borrower_id)
  where principal_written_off + interest_written_off > principal_recovered + interest_recovered;
-- Mark-up that was recovered without ever having been billed is the partner's too.
create index loans_recovered on loans (partner_id, id) where interest_recovered > 0;

-- What of `paid` nobody owes any more, because the loan was written off.
alter table bill_lines add column lapsed bigint not null default 0;
