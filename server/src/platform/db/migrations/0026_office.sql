-- What the lender keeps of its days, and the seals of its audit trail.

-- Days whose runs are all finished; a restart begins with the first that is not. A day has its row
-- as soon as a run of it fails: an alert is about it until it is finished.
create table business_days (
  business_date date primary key,
  id uuid not null unique,
  finished_at timestamptz
);

-- How the business of each partner stood at the end of each day. What lines left to be drawn on a
-- past day, and what was late, is known to nothing else; what was booked would take a look at all
-- postings of the time.
create table portfolio_days (
  partner_id uuid not null references partners,
  business_date date not null,
  outstanding bigint not null,
  available bigint not null,
  late bigint not null,
  loans_running integer not null,
  -- Booked in the course of the day.
  paid_out bigint not null,
  repaid bigint not null,
  interest_earned bigint not null,
  primary key (partner_id, business_date)
);

-- The audit trail is chained by hash, in slices, once nothing can be written into a slice any more.
create table audit_seals (
  -- The table whose rows are sealed.
  record text not null,
  position bigint not null,
  -- The last row of the slice, which begins after that of the seal before.
  to_id uuid not null,
  -- The first eight bytes of each row's hash, in order: they tell which row is wrong.
  marks bytea not null,
  -- Over the hash before and the hashes of all rows.
  hash text not null,
  primary key (record, position)
);
create trigger audit_seals_immutable before update or delete or truncate on audit_seals
  for each statement execute function history_is_kept();
