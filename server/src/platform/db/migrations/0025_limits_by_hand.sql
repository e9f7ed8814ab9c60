-- Limits that operators set by hand, scorecards that they add, what visitors tell of their need;
-- a batch that is being closed stands in nobody's way.

-- One open at a time for a company.
drop index data_batches_ongoing;
create unique index data_batches_ongoing on data_batches (partner_id, company_key)
  where status = 'CREATED';

-- A limit that an operator sets instead of the scorecard's: why, until when, and by whom. Above a
-- threshold it waits for another operator.
create table limit_overrides (
  id uuid primary key,
  partner_id uuid not null references partners,
  credit_line_id uuid not null references credit_lines,
  pool_amount bigint not null check (pool_amount >= 0),
  reason text not null check (reason <> ''),
  -- The last day on which it holds; null: until somebody ends it.
  until_on date,
  status text not null check (status in ('PROPOSED', 'IN_FORCE', 'REJECTED', 'ENDED')),
  proposed_by uuid not null references operators,
  approved_by uuid references operators,
  proposed_at timestamptz not null,
  in_force_at timestamptz,
  check (approved_by <> proposed_by)
);
create unique index limit_overrides_in_force on limit_overrides (credit_line_id)
  where status = 'IN_FORCE';
create unique index limit_overrides_proposed on limit_overrides (credit_line_id)
  where status = 'PROPOSED';
alter table limit_overrides enable row level security;
alter table limit_overrides force row level security;
create policy partner_wall on limit_overrides
  using (may_see(partner_id)) with check (may_see(partner_id));

-- The limit by hand that an assessment found in force.
alter table credit_assessments
  add column override_id uuid references limit_overrides,
  drop constraint credit_assessments_cause_check,
  add check (cause in ('CREATION', 'DATA_SHARED', 'REPAYMENT', 'RENEWAL', 'OVERRIDE'));

-- A limit by hand above this many cents, and above the present one, takes two operators.
update scorecards set rules = rules || '{"four_eyes_above": 10000000}';

-- Who added a scorecard and why; the first ones came with the program.
alter table scorecards
  add column reason text,
  add column added_by uuid references operators,
  add column added_at timestamptz;
create trigger scorecards_immutable before update or delete on scorecards
  for each statement execute function assessments_refuse_change();

-- What a visitor told of the company's need.
alter table onboardings add column user_input jsonb;
