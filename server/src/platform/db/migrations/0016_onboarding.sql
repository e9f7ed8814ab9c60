-- Onboarding sessions, who referred a borrower and what that earns, and monthly fees.

create table onboardings (
  id uuid primary key,
  partner_id uuid not null references partners,
  status text not null check (status in ('CREATED', 'COMPLETED', 'DUPLICATE')),
  -- What its company number means; null while no company is named, or none is known by it.
  company_key text,
  identifier text,
  identifier_type text,
  -- What the register said; null when it knows no such company.
  company jsonb,
  -- What the check of companies knew then.
  compliance text
    check (compliance in ('UNKNOWN', 'REVIEWING', 'APPROVED', 'REJECTED', 'PENDING_USER_ACTION')),
  email text,
  phone_number text,
  preferred_language text not null,
  redirect_url text,
  -- Who brought it: a referral code, or the partner by its name.
  referral text not null,
  step text,
  traceability_payload jsonb,
  -- What its steps have gathered for the borrower.
  representative jsonb,
  repayment jsonb,
  borrower_id uuid references borrowers,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index onboardings_page on onboardings (partner_id, id);
create index onboardings_company on onboardings (partner_id, company_key)
  where status = 'CREATED';
create index onboardings_borrower on onboardings (borrower_id) where status = 'CREATED';

-- Businesses that bring borrowers to a partner.
create table referrers (
  id uuid primary key,
  partner_id uuid not null references partners,
  business_id uuid not null,
  identifier text not null,
  identifier_type text not null,
  name text not null,
  referrer_type text,
  -- Of the interest paid, in parts per million.
  share_ppm integer not null check (share_ppm between 0 and 1000000),
  -- Loans asked for within so many months after the referral are shared in; null for ever.
  sharing_months integer check (sharing_months in (6, 12, 24)),
  vat_included boolean not null,
  emails text[] not null,
  iban text not null,
  bic text,
  created_at timestamptz not null
);
create index referrers_page on referrers (partner_id, id);

create table referral_codes (
  partner_id uuid not null references partners,
  code text not null,
  referrer_id uuid not null references referrers,
  primary key (partner_id, code)
);
create index referral_codes_referrer on referral_codes (referrer_id);

-- Who referred which borrower, and when.
create table referrals (
  borrower_id uuid primary key references borrowers,
  partner_id uuid not null references partners,
  referrer_id uuid not null references referrers,
  referred_at timestamptz not null
);
create index referrals_referrer on referrals (referrer_id);

create table revenue_shares (
  id uuid primary key,
  partner_id uuid not null references partners,
  referrer_id uuid not null references referrers,
  status text not null check (status in ('CREATED', 'DELETED', 'PAID', 'SENT_BY_EMAIL')),
  period_from date not null,
  period_to date not null,
  amount bigint not null check (amount > 0),
  emailed_at timestamptz,
  emailed_to text[] not null default '{}',
  document_id uuid references documents,
  payment_id uuid references payments,
  created_at timestamptz not null,
  unique (referrer_id, period_from)
);
create index revenue_shares_payment on revenue_shares (payment_id);

-- A fee that recurs as long as a product is used.
alter table products add column monthly_fee bigint not null default 0 check (monthly_fee >= 0);

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
  payment_id uuid references payments,
  created_at timestamptz not null,
  unique (subscription_id, month)
);
create index subscription_fees_payment on subscription_fees (payment_id);
create index subscription_fees_unplanned on subscription_fees (id) where payment_id is null;

do $$
declare t text;
begin
  foreach t in array array['onboardings', 'referrers', 'referral_codes', 'referrals',
    'revenue_shares', 'subscriptions', 'subscription_fees']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy partner_wall on %I
      using (may_see(partner_id)) with check (may_see(partner_id))', t);
  end loop;
end $$;
