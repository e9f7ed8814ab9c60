-- Attempts under the gate that fail alike within an hour: the first of them are rows of
-- decision_attempts, all of them are counted here, so that no caller can fill the disk.
create table attempt_counts (
  id uuid primary key,
  partner_id uuid not null references partners,
  caller_id uuid not null references callers,
  -- Null where the decision that was named does not exist.
  decision_id uuid,
  outcome text not null check (outcome in ('REFUSED', 'FAILED')),
  code text not null,
  hour timestamptz not null,
  count bigint not null check (count > 0),
  last_at timestamptz not null,
  -- The last one that is a row of its own.
  attempt_id uuid not null
);
create unique index attempt_counts_alike on attempt_counts
  (partner_id, caller_id, decision_id, outcome, code, hour) nulls not distinct;
create index attempt_counts_attempt on attempt_counts (attempt_id);
alter table attempt_counts enable row level security;
alter table attempt_counts force row level security;
create policy partner_wall on attempt_counts
  using (may_see(partner_id)) with check (may_see(partner_id));
