-- Names that are unique across all partners, and the rows they belong to. A table with the partner
-- in every key cannot enforce this itself. platform/db/directory.ts lists the kinds and columns.

create table directory (
  kind text not null check (kind in ('account', 'authorization', 'bill_number', 'card',
    'card_transaction', 'contract', 'key', 'mandate', 'order', 'reference')),
  value text not null,
  partner_id uuid not null references partners,
  id uuid not null,
  primary key (kind, value)
);
