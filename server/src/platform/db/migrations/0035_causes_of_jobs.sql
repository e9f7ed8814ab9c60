-- A job carries the moment of the request, clock move or business day at the root of its chain. The
-- wait for everything caused up to a moment ends although other work keeps arriving.

-- Null: the job is the first of its chain, or older than this column. Then its creation counts.
alter table jobs add column caused_at timestamptz;
-- Only what is worth waiting for, however much keeps failing.
create index jobs_awaited on jobs ((coalesce(caused_at, created_at)), id)
  where held_until is null or is_leased or failures <= 3;
