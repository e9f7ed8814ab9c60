-- Names that are unique over all partners, and the rows that they name: a table that carries its
-- partner in every key cannot hold such a name unique itself. Of kinds and columns,
-- platform/db/directory.ts is the list.

create table directory (
  kind text not null check (kind in ('account', 'authorization', 'bill_number', 'card',
    'card_transaction', 'contract', 'key', 'mandate', 'order', 'reference')),
  value text not null,
  partner_id uuid not null references partners,
  id uuid not null,
  primary key (kind, value)
);
