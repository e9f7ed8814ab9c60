-- A monthly fee may be paid by transfer: it has a reference of its own (fees charged before have
-- none), and keeps every payment that was to pay it, also those that were canceled or failed.
alter table subscription_fees add column reference text unique;

create table fee_payments (
  payment_id uuid not null references payments,
  fee_id uuid not null references subscription_fees,
  subscription_id uuid not null references subscriptions,
  partner_id uuid not null references partners,
  amount bigint not null check (amount > 0),
  primary key (payment_id, fee_id)
);
create index fee_payments_fee on fee_payments (fee_id);
alter table fee_payments enable row level security;
alter table fee_payments force row level security;
create policy partner_wall on fee_payments
  using (may_see(partner_id)) with check (may_see(partner_id));

insert into fee_payments (payment_id, fee_id, subscription_id, partner_id, amount)
  select payment_id, id, subscription_id, partner_id, amount
  from subscription_fees where payment_id is not null;
