-- Work that follows a commit.

-- In a table of our own (decision record 0044). A job that is done is deleted. It is the service's
-- own and names rows by their ids only: no partner reads it. Moments are real time, whatever the
-- clock of a sandbox says.
create table jobs (
  -- Sorts by when it was enqueued.
  id uuid primary key,
  name text not null,
  data jsonb not null,
  -- The partner whose turn it takes; the nil UUID is the lender's.
  turn_of uuid not null,
  -- The moment of the request, clock move or business day at the root of the chain of jobs. The
  -- wait for everything caused up to a moment ends although other work keeps arriving. Null: the
  -- job is the first of its chain, and its creation counts.
  caused_at timestamptz,
  created_at timestamptz not null default now(),
  failures integer not null default 0,
  last_error text,
  -- Null: ready. Otherwise nobody takes it before: the end of its lease, or of the delay after a
  -- failure.
  held_until timestamptz,
  -- A process is working on it outside of a transaction.
  is_leased boolean not null default false,
  check (held_until is not null or not is_leased)
);
-- Rows live for moments: vacuum comes after some thousands of them, however large the table is. It
-- keeps the table's pages, so that a plan made while nothing waits goes by the index too.
alter table jobs set (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0,
  autovacuum_analyze_threshold = 5000, autovacuum_analyze_scale_factor = 0,
  vacuum_truncate = off);
-- Only what can be taken is looked through, however much waits for its next try.
create index jobs_ready on jobs (name, turn_of, id) where held_until is null;
create index jobs_held on jobs (held_until) where held_until is not null;
-- Only what is worth waiting for, however much keeps failing.
create index jobs_awaited on jobs ((coalesce(caused_at, created_at)), id)
  where held_until is null or is_leased or failures <= 3;
