-- Who changed what of a product, why and when: what it was before can always be told.
create table product_changes (
  id uuid primary key,
  product_id uuid not null references products,
  changed_at timestamptz not null,
  changed_by text not null,
  reason text not null check (reason <> ''),
  before jsonb not null,
  after jsonb not null
);
create index product_changes_by_product on product_changes (product_id, id);
