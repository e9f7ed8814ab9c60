-- Companies that are insolvent, and companies that are too young to borrow.

-- A younger company is not lent to; 0 asks for no age.
alter table products add column company_age_months_min integer not null default 0
  check (company_age_months_min >= 0);

-- Since when it is, as the register said last; a borrower keeps it in `company`.
alter table counterparties add column insolvent_since date;

-- What the sandbox's register says of a company beside what its number tells.
create table sandbox_companies (
  partner_id uuid not null references partners,
  company_key text not null,
  insolvent_since date,
  creation_date date,
  updated_at timestamptz not null,
  primary key (partner_id, company_key)
);
alter table sandbox_companies enable row level security;
alter table sandbox_companies force row level security;
create policy partner_wall on sandbox_companies
  using (may_see(partner_id)) with check (may_see(partner_id));
