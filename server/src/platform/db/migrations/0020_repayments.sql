-- Agreed repayment terms, and links for immediate payment.

-- Terms on which loans will be repaid. A transfer with the reference pays the loans, oldest due
-- date first.
create table repayment_terms (
  id uuid not null,
  partner_id uuid not null references partners,
  reference text not null,
  reason text,
  caller_id uuid not null,
  created_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, caller_id) references callers
);

create table repayment_terms_loans (
  terms_id uuid not null,
  loan_id uuid not null,
  partner_id uuid not null references partners,
  repayment_on date not null,
  repayment_method text not null check (repayment_method in ('DIRECT_DEBIT', 'SCT', 'P2P')),
  primary key (partner_id, terms_id, loan_id),
  foreign key (partner_id, terms_id) references repayment_terms,
  foreign key (partner_id, loan_id) references loans
);
create index repayment_terms_loans_loan on repayment_terms_loans (partner_id, loan_id, terms_id);

-- Payments for which POST /repay/now returned an address.
create table repay_links (
  id uuid not null,
  partner_id uuid not null references partners,
  terms_id uuid not null,
  amount bigint not null check (amount > 0),
  callback_url text not null,
  created_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, terms_id) references repayment_terms
);

alter table payments add foreign key (partner_id, terms_id) references repayment_terms;
