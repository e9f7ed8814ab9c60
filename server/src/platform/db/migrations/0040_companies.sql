-- What registries and operators know about companies: stored answers of registries, and the files
-- in which operators review companies. They belong to the lender and cover the borrowers of all
-- partners, so only the service sees them.

-- How long the answers of a source hold. A fresh answer is used without asking again; a usable one
-- is used while the source is asked again.
create table registry_sources (
  source text primary key,
  fresh_days integer not null check (fresh_days > 0),
  usable_days integer not null check (usable_days >= fresh_days)
);
insert into registry_sources (source, fresh_days, usable_days) values ('manual', 365, 730);

create table registry_answers (
  company_key text primary key,
  identifier text not null,
  identifier_type text not null,
  country text not null check (country ~ '^[A-Z]{2}$'),
  -- No job asks the source again before then.
  ask_again_at timestamptz not null,
  -- Since when the source has been asked without an answer.
  unavailable_since timestamptz,
  -- The last answer: the columns below are null until there is one.
  result text check (result in ('FOUND', 'UNKNOWN')),
  company jsonb,
  source text references registry_sources,
  -- The answer as it came.
  raw bytea,
  fetched_at timestamptz,
  fresh_until date,
  usable_until date,
  check (num_nulls(result, source, raw, fetched_at, fresh_until, usable_until) in (0, 6)),
  check ((result is not distinct from 'FOUND') = (company is not null))
);
create index registry_answers_unavailable on registry_answers (unavailable_since)
  where unavailable_since is not null;

-- How often companies are reviewed and screened again. The law caps the review: a year for higher
-- risk, five years for others (Regulation (EU) 2024/1624, article 26).
create table risk_classes (
  risk_class text primary key check (risk_class in ('LOW', 'MEDIUM', 'HIGH')),
  review_months integer not null
    check (review_months between 1 and case risk_class when 'HIGH' then 12 else 60 end),
  screening_days integer not null check (screening_days > 0)
);
insert into risk_classes (risk_class, review_months, screening_days)
values ('LOW', 60, 365), ('MEDIUM', 36, 180), ('HIGH', 12, 90);

create table company_files (
  id uuid primary key,
  company_key text not null unique,
  identifier text not null,
  identifier_type text not null,
  country text not null check (country ~ '^[A-Z]{2}$'),
  -- Null while the company is under review.
  outcome text check (outcome in ('APPROVED', 'REJECTED')),
  risk_class text references risk_classes,
  -- The day on which an approval ends, unless the company is reviewed again before.
  review_due_on date,
  -- The day on which the first screening of the company or its people ends, of an approved company
  -- those that the approval was confirmed with; null if one is missing or has a hit that is no
  -- false match.
  screening_due_on date,
  opened_at timestamptz not null,
  check (outcome is distinct from 'APPROVED'
    or num_nulls(risk_class, review_due_on, screening_due_on) = 0)
);
create index company_files_due on company_files (least(review_due_on, screening_due_on))
  where outcome = 'APPROVED';

-- One search for the company or one of its people in the lists that the lender must use.
create table screenings (
  id uuid primary key,
  company_file_id uuid not null references company_files,
  subject_kind text not null check (subject_kind in ('COMPANY', 'OWNER', 'DIRECTOR')),
  subject_name text not null check (subject_name <> ''),
  -- The lists that were searched.
  lists text not null check (lists <> ''),
  screened_by text not null,
  screened_at timestamptz not null,
  -- It holds from this day for as many days as the file's risk class says.
  screened_on date not null
);
create index screenings_file on screenings (company_file_id);

create table screening_hits (
  id uuid primary key,
  screening_id uuid not null references screenings,
  company_file_id uuid not null references company_files,
  -- The entry of the list: its name, and what identifies it.
  listed text not null check (listed <> ''),
  -- Null until two operators have decided.
  outcome text check (outcome in ('FALSE_MATCH', 'TRUE_MATCH'))
);
create index screening_hits_screening on screening_hits (screening_id);
create index screening_hits_undecided on screening_hits (company_file_id) where outcome is null;

-- What one operator proposes about a company, and another confirms or rejects.
create table company_proposals (
  id uuid primary key,
  company_file_id uuid not null references company_files,
  kind text not null check (kind in ('ENTRY', 'APPROVAL', 'REFUSAL', 'FALSE_MATCH', 'TRUE_MATCH')),
  status text not null check (status in ('PROPOSED', 'CONFIRMED', 'REJECTED')),
  -- The company, its owners and its directors, for an entry.
  entry jsonb,
  risk_class text references risk_classes,
  screening_hit_id uuid references screening_hits,
  reason text not null check (reason <> ''),
  proposed_by text not null,
  proposed_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  check ((kind = 'ENTRY') = (entry is not null)),
  check ((kind = 'APPROVAL') = (risk_class is not null)),
  check ((kind in ('FALSE_MATCH', 'TRUE_MATCH')) = (screening_hit_id is not null)),
  check (status = 'PROPOSED' or decided_by is not null),
  check ((decided_by is null) = (decided_at is null)),
  check (status <> 'CONFIRMED' or decided_by <> proposed_by)
);
create index company_proposals_file on company_proposals (company_file_id);
-- At most one open proposal for the entry, for the review and for each hit.
create unique index company_proposals_open on company_proposals
  (company_file_id, (kind = 'ENTRY'), screening_hit_id) nulls not distinct
  where status = 'PROPOSED';

-- A proposal is decided as it was proposed.
create function only_decided() returns trigger language plpgsql as $$
begin
  if old.status <> 'PROPOSED' or
    (to_jsonb(new) - '{status,decided_by,decided_at}'::text[])
      is distinct from (to_jsonb(old) - '{status,decided_by,decided_at}'::text[]) then
    raise exception 'a proposal about a company cannot be changed';
  end if;
  return new;
end $$;
create trigger company_proposals_kept before update on company_proposals
  for each row execute function only_decided();

-- The documents behind a proposal or a screening. The hash is that of the document when it was
-- handed in.
create table company_evidence (
  document_id uuid primary key,
  company_file_id uuid not null references company_files,
  company_proposal_id uuid references company_proposals,
  screening_id uuid references screenings,
  title text not null,
  sha256 text not null,
  check (num_nonnulls(company_proposal_id, screening_id) = 1)
);
create index company_evidence_file on company_evidence (company_file_id);
create trigger company_evidence_immutable before update on company_evidence
  for each statement execute function history_is_kept();

-- The day on which an approval ends, even before the nightly run has opened the review. Null if it
-- has no end.
alter table compliance_checks add column approved_until date,
  -- Since when the borrower's company is on a list, as two operators have decided: its refunds are
  -- held.
  add column frozen_at timestamptz;

-- Whether no registry had answered about an onboarding's company when it was named.
alter table onboardings add column company_awaited boolean not null default false;

alter table documents drop constraint documents_kind_check,
  add constraint documents_kind_check check (kind in
    ('TERMS', 'CONTRACT', 'MANDATE', 'BILL', 'INVOICE', 'LOAN_DOCUMENT', 'EVIDENCE'));

do $$
declare t text;
begin
  foreach t in array array['registry_answers', 'company_files', 'screenings', 'screening_hits',
    'company_proposals', 'company_evidence'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format($policy$create policy service_only on %I
      using (current_setting('headroom.partners', true) = '*')
      with check (current_setting('headroom.partners', true) = '*')$policy$, t);
  end loop;
end $$;
