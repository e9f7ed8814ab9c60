-- Monthly fees, for as long as a product is used.

create table subscriptions (
  id uuid primary key,
  partner_id uuid not null references partners,
  borrower_id uuid not null references borrowers,
  borrower_product_id uuid not null unique references borrower_products,
  status text not null check (status in ('CREATED', 'ACTIVE')),
  activated_on date,
  created_at timestamptz not null
);
create index subscriptions_borrower on subscriptions (borrower_id);
create index subscriptions_active on subscriptions (id) where status = 'ACTIVE';

-- One fee a month; its payment is planned once there is a mandate to collect by.
create table subscription_fees (
  id uuid primary key,
  partner_id uuid not null references partners,
  subscription_id uuid not null references subscriptions,
  month date not null,
  amount bigint not null check (amount > 0),
  -- By which a transfer pays it; fees charged before there were transfers have none.
  reference text unique,
  payment_id uuid references payments,
  created_at timestamptz not null,
  unique (subscription_id, month)
);
create index subscription_fees_payment on subscription_fees (payment_id);
create index subscription_fees_unplanned on subscription_fees (id) where payment_id is null;

-- Every payment that was to pay a fee, also those that were canceled or failed.
create table fee_payments (
  payment_id uuid not null references payments,
  fee_id uuid not null references subscription_fees,
  subscription_id uuid not null references subscriptions,
  partner_id uuid not null references partners,
  amount bigint not null check (amount > 0),
  primary key (payment_id, fee_id)
);
create index fee_payments_fee on fee_payments (fee_id);
