-- Jobs: work to do after a commit.

-- Our own job queue (decision record 0044). Completed jobs are deleted. Jobs refer to rows by id
-- only, without foreign keys. Times are real time, even in a sandbox.
create table jobs (
  -- Ids sort by the time of enqueueing.
  id uuid primary key,
  name text not null,
  data jsonb not null,
  -- The partner whose turn the job takes; the nil id for the lender.
  turn_of uuid not null,
  -- When the chain of jobs began: the start of a clock call or business day, or the enqueueing of
  -- the first job. It lets a drain end although new work keeps arriving. Null for a first job,
  -- whose created_at counts.
  caused_at timestamptz,
  created_at timestamptz not null default now(),
  failures integer not null default 0,
  last_error text,
  -- When the job's lease ends, or its delay after a failure. Null if the job is ready.
  held_until timestamptz,
  -- Whether a process runs the job outside a transaction.
  is_leased boolean not null default false,
  check (held_until is not null or not is_leased)
);
-- Rows are short-lived, so vacuum runs after every few thousand of them, whatever the table's size.
-- It does not truncate the table, so that a plan made while the queue is empty uses the index too.
alter table jobs set (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0,
  autovacuum_analyze_threshold = 5000, autovacuum_analyze_scale_factor = 0,
  vacuum_truncate = off);
-- Holds only jobs that can be taken, however many wait for a retry.
create index jobs_ready on jobs (name, turn_of, id) where held_until is null;
create index jobs_held on jobs (held_until) where held_until is not null;
-- Holds only jobs that a drain waits for, however many keep failing.
create index jobs_awaited on jobs ((coalesce(caused_at, created_at)), id)
  where held_until is null or is_leased or failures <= 3;
