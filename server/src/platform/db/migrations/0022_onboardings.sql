-- Onboardings: companies that sign up online, step by step.

create table onboardings (
  id uuid not null,
  partner_id uuid not null references partners,
  status text not null check (status in ('CREATED', 'COMPLETED', 'DUPLICATE')),
  -- The company that has the given number; null if no company has it or no number was given.
  company_key text,
  identifier text,
  identifier_type text,
  -- The registry's data; null if the registry does not know the company.
  company jsonb,
  -- The company's compliance status as last reported.
  compliance text
    check (compliance in ('UNKNOWN', 'REVIEWING', 'APPROVED', 'REJECTED', 'PENDING_USER_ACTION')),
  email text,
  phone_number text,
  preferred_language text not null,
  redirect_url text,
  -- Where the company came from: a referral code, or the partner's name.
  referral text not null,
  step text,
  traceability_payload jsonb,
  user_input jsonb,
  -- Data for the borrower, collected in the steps.
  representative jsonb,
  repayment jsonb,
  borrower_id uuid,
  -- Whether the signed documents were mailed to the company; if so, its page says so. A company
  -- whose partner signed it through the API receives no such mail.
  documents_mailed boolean not null default false,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, borrower_id) references borrowers
);
create index onboardings_company on onboardings (partner_id, company_key)
  where status = 'CREATED';
create index onboardings_borrower on onboardings (borrower_id) where status = 'CREATED';
