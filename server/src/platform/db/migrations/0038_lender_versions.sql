-- The versions of a live deployment's lender, and a clock that only sandboxes move.

-- A day's version is the row with the highest revision. A version that is not in force yet can be
-- replaced or withdrawn, by a row with a higher revision.
create table lender_versions (
  in_force_from date not null,
  revision bigint not null,
  -- As the lender's file has it; null if the version was withdrawn.
  content text check ((content is null) = (version is null)),
  -- SHA-256 of the canonical form of the content; of nothing if the version was withdrawn.
  hash text not null,
  -- What was read from the content (`LenderVersion` in db/settings.ts).
  version jsonb,
  stored_at timestamptz not null,
  primary key (in_force_from, revision)
);
-- Every transaction reads the highest revision.
create index lender_versions_revision on lender_versions (revision);
create trigger lender_versions_immutable before update or delete or truncate on lender_versions
  for each statement execute function history_is_kept();
alter table lender_versions enable row level security;
alter table lender_versions force row level security;
-- Documents of every partner show the lender, and only the service changes it.
create policy all_read on lender_versions for select using (true);
create policy service_writes on lender_versions for insert
  with check (current_setting('headroom.partners', true) = '*');

-- Two banks may give the same reference to different news, so a reference is unique by account.
alter table bank_news drop constraint bank_news_bank_reference_key,
  add unique (bank_account_id, bank_reference);

-- A sandbox's lender is computed, and a live one has versions.
alter table deployment drop column lender;
alter table deployment add constraint live_clock_is_real
  check (mode = 'sandbox' or clock_offset_ms = 0);
