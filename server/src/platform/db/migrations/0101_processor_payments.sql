-- What card spending has cost is paid to the card processor: the lender's own payments, nobody's
-- of its partners.

create table processor_payments (
  -- The bank's key for the order.
  id uuid primary key,
  processor text not null,
  to_iban text not null,
  to_name text not null,
  amount bigint not null check (amount > 0),
  status text not null
    check (status in ('SCHEDULED', 'INSTRUCTED', 'PAID', 'FAILED', 'RETURNED', 'CANCELED')),
  scheduled_on date not null,
  submitted_at timestamptz,
  paid_on date,
  failure_reason text,
  created_at timestamptz not null
);
-- At most one is planned or on its way: the next takes what came since.
create unique index processor_payments_open on processor_payments ((true))
  where status in ('SCHEDULED', 'INSTRUCTED');

-- A partner's own authorisations have to see what is stopped for all.
create policy for_all on kill_switches for select using (partner_id is null);
