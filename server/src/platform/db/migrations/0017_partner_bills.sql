-- Bills that partners pay, and shares that are paid out to them.

-- A partner's own company: who its bills are made out to, and where its shares are paid.
create table partner_companies (
  partner_id uuid primary key references partners,
  company_key text not null,
  identifier text not null,
  identifier_type text not null,
  country text not null check (country in ('FR', 'DE', 'ES', 'NL', 'BE')),
  name text not null,
  address jsonb,
  language text not null check (language in ('fr', 'de', 'es', 'nl', 'en')),
  emails text[] not null check (cardinality(emails) > 0),
  iban text,
  bic text,
  -- Its bills are not mailed: they wait, VALIDATED, until it says when it has sent them.
  sends_bills boolean not null default false,
  created_at timestamptz not null
);

-- What was agreed with a partner on a product, where it is not what the product says.
create table partner_products (
  partner_id uuid not null references partners,
  product_id uuid not null references products,
  repayment_handled_by text not null check (repayment_handled_by in ('SERVICE', 'PARTNER')),
  fees_mode text not null check (fees_mode in ('CHARGED', 'PASSED_ON', 'TRANSFERRED')),
  -- What the partner adds to the interest of its borrowers, a day.
  mark_up_ppm integer not null check (mark_up_ppm between 0 and 10000),
  primary key (partner_id, product_id),
  check (mark_up_ppm = 0 or fees_mode = 'PASSED_ON' and repayment_handled_by = 'SERVICE')
);

-- Who pays the fees of a partner's loans, and what is added to them.
create view product_terms with (security_invoker = true) as
  select t.*, case when t.repayment_handled_by = 'PARTNER' or t.fees_mode = 'TRANSFERRED'
    then 'PARTNER' else 'BORROWER' end as fees_payer
  from (select a.id as partner_id, p.id as product_id, p.product_type,
      coalesce(s.repayment_handled_by, p.repayment_handled_by) as repayment_handled_by,
      coalesce(s.fees_mode, p.fees_mode) as fees_mode,
      coalesce(s.mark_up_ppm, 0) as mark_up_ppm
    from partners a cross join products p
    left join partner_products s on s.partner_id = a.id and s.product_id = p.id) t;

alter table loans
  -- Fixed at approval.
  add column fees_payer text not null default 'BORROWER'
    check (fees_payer in ('BORROWER', 'PARTNER')),
  add column mark_up_ppm integer not null default 0,
  -- The partner's part of the interest beside, each rounded by itself.
  add column mark_up_accrued bigint not null default 0,
  add column mark_up_billed bigint not null default 0,
  add column mark_up_paid_out bigint not null default 0;
create index loans_partner_unbilled on loans (partner_id, id) where fees_payer = 'PARTNER'
  and (interest_billed <> interest_accrued or status in ('TO_REPAY', 'TO_REPAY_FEES'));
create index loans_shared on loans (partner_id, id) where mark_up_billed <> mark_up_paid_out;

-- The payer is a borrower, or the partner itself: then borrower_id is null.
alter table bills add column payer_id uuid, add column sent_to text[] not null default '{}';
update bills set payer_id = borrower_id;
alter table bills alter column payer_id set not null, alter column borrower_id drop not null;
drop index bills_once;
-- No interest is billed twice: one valid bill a payer and month.
create unique index bills_once on bills (payer_id, period_from) where status <> 'INVALID';
create index bills_of_partners on bills (partner_id, due_on)
  where borrower_id is null and status = 'TO_PAY';

-- What of the amount is the partner's mark-up.
alter table bill_lines add column mark_up bigint not null default 0;

-- What a payment to a partner is made of; below zero it takes back what was too much.
create table partner_shares (
  payment_id uuid not null references payments,
  loan_id uuid not null references loans,
  partner_id uuid not null references partners,
  amount bigint not null check (amount <> 0),
  primary key (payment_id, loan_id)
);
create index partner_shares_loan on partner_shares (loan_id);

-- Cents of an exact sum of principal × ppm × days: rounded once, half to the even one.
create function interest_cents(exact numeric) returns bigint language sql immutable as $$
  select (div(exact, 1000000) + case
    when mod(exact, 1000000) > 500000 then 1
    when mod(exact, 1000000) = 500000 then mod(div(exact, 1000000), 2)
    else 0 end)::bigint
$$;

do $$
declare t text;
begin
  foreach t in array array['partner_companies', 'partner_products', 'partner_shares']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy partner_wall on %I
      using (may_see(partner_id)) with check (may_see(partner_id))', t);
  end loop;
end $$;
