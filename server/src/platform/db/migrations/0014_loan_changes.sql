-- Agreed changes of loans: dates, repayment terms, links to repay by.

-- Set when the repayment date was put off in TO_REPAY: it may be so once.
alter table loans add column postponed_at timestamptz;
-- Further references beside ours: of terms, and the partner's own. The latter are shown and
-- written on debits, never matched by.
alter table loans add column repayment_to_references text[] not null default '{}';
alter table loans add column transfer_contract_url text;

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

-- Which terms a payment came by.
alter table payments add column terms_id uuid references repayment_terms;
create index payments_terms on payments (terms_id) where terms_id is not null;

-- What POST /repay/now gave an address for.
create table repay_links (
  id uuid primary key,
  partner_id uuid not null references partners,
  terms_id uuid not null references repayment_terms,
  amount bigint not null check (amount > 0),
  callback_url text not null,
  created_at timestamptz not null
);

-- Set when its borrower was deactivated: nothing is drawn on the line, nobody assesses it again.
alter table credit_lines add column closed_at timestamptz;

do $$
declare t text;
begin
  foreach t in array array['repayment_terms', 'repayment_terms_loans', 'repay_links']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy partner_wall on %I
      using (may_see(partner_id)) with check (may_see(partner_id))', t);
  end loop;
end $$;
