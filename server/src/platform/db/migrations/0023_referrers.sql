-- Referrers of borrowers, and their shares of the revenue.

create table referrers (
  id uuid not null,
  partner_id uuid not null references partners,
  business_id uuid not null,
  identifier text not null,
  identifier_type text not null,
  name text not null,
  referrer_type text,
  -- The share of the interest paid, in parts per million.
  share_ppm integer not null check (share_ppm between 0 and 1000000),
  -- Loans requested within this many months of the referral count; null for no limit.
  sharing_months integer check (sharing_months in (6, 12, 24)),
  vat_included boolean not null,
  emails text[] not null,
  iban text not null,
  bic text,
  created_at timestamptz not null,
  primary key (partner_id, id)
);

create table referral_codes (
  partner_id uuid not null references partners,
  code text not null,
  referrer_id uuid not null,
  primary key (partner_id, code),
  foreign key (partner_id, referrer_id) references referrers
);
create index referral_codes_referrer on referral_codes (partner_id, referrer_id);

create table referrals (
  borrower_id uuid not null,
  partner_id uuid not null references partners,
  referrer_id uuid not null,
  referred_at timestamptz not null,
  primary key (partner_id, borrower_id),
  foreign key (partner_id, borrower_id) references borrowers,
  foreign key (partner_id, referrer_id) references referrers
);
create index referrals_referrer on referrals (partner_id, referrer_id);

create table revenue_shares (
  id uuid not null,
  partner_id uuid not null references partners,
  referrer_id uuid not null,
  status text not null check (status in ('CREATED', 'DELETED', 'PAID', 'SENT_BY_EMAIL')),
  period_from date not null,
  period_to date not null,
  amount bigint not null check (amount > 0),
  emailed_at timestamptz,
  emailed_to text[] not null default '{}',
  document_id uuid,
  payment_id uuid,
  created_at timestamptz not null,
  primary key (partner_id, id),
  unique (partner_id, referrer_id, period_from),
  foreign key (partner_id, referrer_id) references referrers,
  foreign key (partner_id, payment_id) references payments,
  foreign key (partner_id, document_id) references documents
);
create index revenue_shares_payment on revenue_shares (partner_id, payment_id);
