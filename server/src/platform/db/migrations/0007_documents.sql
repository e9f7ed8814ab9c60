-- Documents, and bundles of documents for download.

create table documents (
  id uuid not null,
  -- The nil id for terms, which belong to the lender.
  partner_id uuid not null,
  kind text not null check (kind in
    ('TERMS', 'CONTRACT', 'MANDATE', 'BILL', 'INVOICE', 'LOAN_DOCUMENT')),
  borrower_id uuid,
  loan_id uuid,
  bill_id uuid,
  country text,
  language text not null,
  version text,
  title text not null,
  media_type text not null default 'application/pdf',
  -- The layout of a document that is rendered when first read, because rendering takes longer than
  -- a transaction should hold a connection.
  paper jsonb,
  content bytea,
  sha256 text,
  created_at timestamptz not null,
  primary key (partner_id, id),
  constraint documents_drawn_or_paper
    check (num_nonnulls(content, paper) = 1 and (content is null) = (sha256 is null))
);
-- Documents are already compressed. Compressing them again costs time at each insert, and reading a
-- part would decompress everything before it.
alter table documents alter column content set storage external;
-- Terms have one document per version, country and language.
create unique index documents_terms on documents (partner_id, version, country, language)
  where kind = 'TERMS';

-- The documents of one download. The partner's next download deletes bundles older than a day.
create table document_bundles (
  id uuid not null,
  partner_id uuid not null references partners,
  document_ids uuid[] not null,
  created_at timestamptz not null,
  primary key (partner_id, id)
);
create index document_bundles_created on document_bundles (created_at);
