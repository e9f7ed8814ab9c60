-- Companies that sign up online, step by step.

create table onboardings (
  id uuid not null,
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
  -- What a visitor told of the company's need.
  user_input jsonb,
  -- What its steps have gathered for the borrower.
  representative jsonb,
  repayment jsonb,
  borrower_id uuid,
  -- Whether the documents of a company that signed online went to it by e-mail: its page says so
  -- then alone. A company that a partner signed by the API gets no such mail.
  documents_mailed boolean not null default false,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, borrower_id) references borrowers
);
create index onboardings_company on onboardings (partner_id, company_key)
  where status = 'CREATED';
create index onboardings_borrower on onboardings (borrower_id) where status = 'CREATED';
