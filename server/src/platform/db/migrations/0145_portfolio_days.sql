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
  primary key (business_date, partner_id)
);
alter table portfolio_days enable row level security;
alter table portfolio_days force row level security;
create policy partner_wall on portfolio_days
  using (may_see(partner_id)) with check (may_see(partner_id));
