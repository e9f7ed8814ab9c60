-- Mandates and terms are stored as layout data and rendered when first read: rendering a page takes
-- longer than a transaction should hold a connection.
alter table documents
  alter column content drop not null,
  alter column sha256 drop not null,
  add column paper jsonb,
  add constraint documents_drawn_or_paper
    check (num_nonnulls(content, paper) = 1 and (content is null) = (sha256 is null));
