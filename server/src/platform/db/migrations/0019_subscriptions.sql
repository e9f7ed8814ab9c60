-- Subscriptions: monthly fees for as long as a product is used.

create table subscriptions (
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null,
  borrower_product_id uuid not null unique,
  status text not null check (status in ('CREATED', 'ACTIVE')),
  activated_on date,
  -- Cents, fixed at activation. A later price of the product applies to later activations.
  monthly_fee bigint check (monthly_fee >= 0),
  created_at timestamptz not null,
  primary key (partner_id, id),
  check (status <> 'ACTIVE' or monthly_fee is not null),
  foreign key (partner_id, borrower_id) references borrowers,
  foreign key (partner_id, borrower_product_id) references borrower_products
);
create index subscriptions_borrower on subscriptions (borrower_id);
create index subscriptions_active on subscriptions (id) where status = 'ACTIVE';

-- One fee per month. Its payment is planned once the borrower can be debited.
create table subscription_fees (
  id uuid not null,
  partner_id uuid not null references partners,
  subscription_id uuid not null,
  month date not null,
  amount bigint not null check (amount > 0),
  -- For a transfer that pays the fee. Null for fees created before references existed.
  reference text,
  payment_id uuid,
  created_at timestamptz not null,
  primary key (partner_id, id),
  unique (subscription_id, month),
  foreign key (partner_id, subscription_id) references subscriptions,
  foreign key (partner_id, payment_id) references payments
);
create index subscription_fees_payment on subscription_fees (payment_id);
create index subscription_fees_unplanned on subscription_fees (id) where payment_id is null;

-- Payments for fees, including canceled and failed ones.
create table fee_payments (
  payment_id uuid not null,
  fee_id uuid not null,
  subscription_id uuid not null,
  partner_id uuid not null references partners,
  amount bigint not null check (amount > 0),
  primary key (partner_id, payment_id, fee_id),
  foreign key (partner_id, payment_id) references payments,
  foreign key (partner_id, fee_id) references subscription_fees,
  foreign key (partner_id, subscription_id) references subscriptions
);
create index fee_payments_fee on fee_payments (fee_id);
