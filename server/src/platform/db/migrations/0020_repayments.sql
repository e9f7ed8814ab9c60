-- What borrowers and partners say beforehand of transfers that are to come.

-- Said beforehand: a transfer with this reference pays these loans, oldest due first.
create table repayment_terms (
  id uuid primary key,
  partner_id uuid not null references partners,
  reference text not null unique,
  reason text,
  caller_id uuid not null references callers,
  created_at timestamptz not null
);

create table repayment_terms_loans (
  terms_id uuid not null references repayment_terms,
  loan_id uuid not null references loans,
  partner_id uuid not null references partners,
  repayment_on date not null,
  repayment_method text not null check (repayment_method in ('DIRECT_DEBIT', 'SCT', 'P2P')),
  primary key (terms_id, loan_id)
);
create index repayment_terms_loans_loan on repayment_terms_loans (loan_id, terms_id);

-- What POST /repay/now gave an address for.
create table repay_links (
  id uuid primary key,
  partner_id uuid not null references partners,
  terms_id uuid not null references repayment_terms,
  amount bigint not null check (amount > 0),
  callback_url text not null,
  created_at timestamptz not null
);

-- Foreign keys of tables of lower rooms.
alter table payments add foreign key (terms_id) references repayment_terms;
