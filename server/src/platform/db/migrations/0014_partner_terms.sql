-- Terms agreed with partners, and the partners' own companies.

-- A partner's own company, to which its bills are addressed and its shares are paid.
create table partner_companies (
  partner_id uuid primary key references partners,
  company_key text not null,
  identifier text not null,
  identifier_type text not null,
  country text not null check (country ~ '^[A-Z]{2}$'),
  name text not null,
  address jsonb,
  language text not null check (language in ('fr', 'de', 'es', 'nl', 'en')),
  emails text[] not null check (cardinality(emails) > 0),
  iban text,
  bic text,
  -- Whether the partner sends bills itself. They stay VALIDATED until it reports them as sent.
  sends_bills boolean not null default false,
  created_at timestamptz not null
);

-- A partner's own terms for a product, where they differ from the product's.
create table partner_products (
  partner_id uuid not null references partners,
  product_id uuid not null references products,
  repayment_handled_by text not null check (repayment_handled_by in ('SERVICE', 'PARTNER')),
  fees_mode text not null check (fees_mode in ('CHARGED', 'PASSED_ON', 'TRANSFERRED')),
  -- Derived from the two columns above, as in `products`.
  fees_payer text not null check (fees_payer in ('BORROWER', 'PARTNER')),
  -- The partner's mark-up on its borrowers' interest, in parts per million of principal per day.
  mark_up_ppm integer not null check (mark_up_ppm between 0 and 10000),
  primary key (partner_id, product_id),
  check (mark_up_ppm = 0 or fees_mode = 'PASSED_ON' and repayment_handled_by = 'SERVICE')
);

-- The terms that apply to each partner: its own, or else the product's.
create view product_terms with (security_invoker = true) as
  select a.id as partner_id, p.id as product_id,
    coalesce(s.fees_payer, p.fees_payer) as fees_payer, coalesce(s.mark_up_ppm, 0) as mark_up_ppm
  from partners a cross join products p
  left join partner_products s on s.partner_id = a.id and s.product_id = p.id;
