-- Business days, daily portfolio figures, and the seals of the audit trail.

-- Business days that have finished, and unfinished ones with a failed run, to which an alert
-- refers.
create table business_days (
  business_date date primary key,
  id uuid not null unique,
  finished_at timestamptz
);

-- A partner's portfolio at the end of a day. No other table has the available credit and overdue
-- amounts of past days, and the booked amounts would take a scan of that time's postings.
create table portfolio_days (
  partner_id uuid not null references partners,
  business_date date not null,
  outstanding bigint not null,
  available bigint not null,
  late bigint not null,
  loans_running integer not null,
  -- Booked during the day, in cents: principal lent and repaid, and interest earned.
  paid_out bigint not null,
  repaid bigint not null,
  interest_earned bigint not null,
  primary key (partner_id, business_date)
);

-- The hash chain of the audit trail. A slice is sealed once no row can be added to it.
create table audit_seals (
  record text not null,
  position bigint not null,
  -- The last row of the slice, which begins after the last row of the previous slice.
  to_id uuid not null,
  -- The first eight bytes of each row's hash, in order, to find the row that is wrong.
  marks bytea not null,
  -- The hash of the previous seal's hash and the hashes of all rows.
  hash text not null,
  primary key (record, position)
);
create trigger audit_seals_immutable before update or delete or truncate on audit_seals
  for each statement execute function history_is_kept();
