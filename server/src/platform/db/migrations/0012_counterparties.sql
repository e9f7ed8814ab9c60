-- Companies that a partner's borrowers trade with.

-- A company has one row per partner, whichever of its known numbers is given.
create table counterparties (
  id uuid not null,
  partner_id uuid not null references partners,
  -- As in `borrowers`; `NAME:` and the name for a company known only by name.
  company_key text not null,
  identifier text not null,
  identifier_type text not null,
  country text,
  name text not null,
  vat_number text,
  address jsonb,
  contact jsonb,
  -- As the registry last reported it; borrowers have it in `company`.
  insolvent_since date,
  relation_types text[] not null check (cardinality(relation_types) > 0),
  selected_for_financing boolean not null,
  -- The most that loans on this company's invoices may total, and the denial code if it is 0.
  max_amount bigint not null check (max_amount >= 0),
  max_amount_details text,
  -- The version of the rules that set the limit, and their inputs.
  limit_version text not null,
  limit_inputs jsonb not null,
  created_at timestamptz not null,
  unique (partner_id, company_key)
);
create index counterparties_vat_number on counterparties (partner_id, vat_number);
-- Also finds companies known only by name, whose identifier is the name.
create index counterparties_identifier on counterparties (partner_id, identifier);
-- Created last: in an almost empty table, all indexes cost the same and plans use the newest.
alter table counterparties add primary key (partner_id, id);
