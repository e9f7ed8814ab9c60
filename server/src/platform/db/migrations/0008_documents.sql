-- Documents as they were when made, and the mails that carried them.

create table documents (
  id uuid primary key,
  partner_id uuid references partners,
  kind text not null check (kind in ('TERMS', 'CONTRACT', 'MANDATE', 'BILL')),
  borrower_id uuid references borrowers,
  loan_id uuid references loans,
  bill_id uuid references bills,
  country text,
  language text not null,
  version text,
  title text not null,
  content bytea not null,
  sha256 text not null,
  created_at timestamptz not null
);
-- Terms belong to nobody: one a version, country and language.
create unique index documents_terms on documents (version, country, language)
  where kind = 'TERMS';
create index documents_loan on documents (loan_id);

create table mails (
  id uuid primary key,
  partner_id uuid references partners,
  recipient text not null,
  subject text not null,
  body text not null,
  document_ids uuid[] not null,
  created_at timestamptz not null,
  sent_at timestamptz
);
create index mails_recipient on mails (recipient, id);
create index mails_unsent on mails (id) where sent_at is null;
