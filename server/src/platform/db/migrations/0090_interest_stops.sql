-- Interest that stands still by law, for the loans of a recollection case.

create table recollection_interest_stops (
  id uuid primary key,
  partner_id uuid not null references partners,
  case_id uuid not null references recollection_cases,
  -- The first day that bears no interest, and the first that does again.
  stopped_on date not null,
  resumed_on date check (resumed_on >= stopped_on),
  reason text not null check (reason <> ''),
  resume_reason text check (resume_reason <> ''),
  stopped_by uuid not null references operators,
  resumed_by uuid references operators,
  created_at timestamptz not null,
  check ((resumed_on is null) = (resumed_by is null)
    and (resumed_on is null) = (resume_reason is null))
);
create unique index recollection_interest_stops_open on recollection_interest_stops (case_id)
  where resumed_on is null;
create index recollection_interest_stops_case on recollection_interest_stops (case_id, id);
alter table recollection_interest_stops enable row level security;
alter table recollection_interest_stops force row level security;
create policy partner_wall on recollection_interest_stops
  using (may_see(partner_id)) with check (may_see(partner_id));

-- The stops of a loan's cases, as its fold takes them: [{from_on, until_on}].
alter table loans add column interest_stops jsonb not null default '[]';
