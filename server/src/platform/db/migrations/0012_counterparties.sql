-- Who a partner's borrowers trade with.

-- The same company under any of its numbers is one.
create table counterparties (
  id uuid not null,
  partner_id uuid not null references partners,
  -- As of borrowers; for a company known by its name alone, NAME: and the name.
  company_key text not null,
  identifier text not null,
  identifier_type text not null,
  -- Null when only the name is known.
  country text,
  name text not null,
  vat_number text,
  address jsonb,
  contact jsonb,
  -- As the register said last; a borrower keeps it in `company`.
  insolvent_since date,
  relation_types text[] not null check (cardinality(relation_types) > 0),
  selected_for_financing boolean not null,
  -- The most that loans on this company's invoices may come to, and why it is not more.
  max_amount bigint not null check (max_amount >= 0),
  max_amount_details text,
  -- What set the limit and under which rules.
  limit_version text not null,
  limit_inputs jsonb not null,
  created_at timestamptz not null,
  unique (partner_id, company_key)
);
create index counterparties_vat_number on counterparties (partner_id, vat_number);
-- A counterparty that nothing but its name is known of is found by the name.
create index counterparties_identifier on counterparties (partner_id, identifier);
-- Last: of indexes that cost the same, as long as there is next to nothing, plans take the newest.
alter table counterparties add primary key (partner_id, id);
