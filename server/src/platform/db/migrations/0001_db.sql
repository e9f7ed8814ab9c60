-- The deployment, and the history of status changes.

create table deployment (
  id integer primary key check (id = 1),
  mode text not null check (mode in ('sandbox', 'live')),
  -- Sandbox only: business time = real time + offset.
  clock_offset_ms bigint not null default 0,
  -- Our key for signatures and for the encryption of stored secrets.
  secret text not null,
  -- The lender's name, registration, address and accounts (`Lender` in db/settings.ts).
  lender jsonb not null,
  created_at timestamptz not null default now()
);

create function history_is_kept() returns trigger language plpgsql as $$
begin
  raise exception 'the history is append-only: % on %', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end $$;

-- Forbids deleting rows that bulk-written tables refer to without a foreign key. Rows may change.
create function refuse_delete() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never deleted', tg_table_name using errcode = 'restrict_violation';
end $$;

create table state_changes (
  id uuid not null,
  -- The nil id if the resource belongs to the lender.
  partner_id uuid not null,
  resource text not null,
  resource_id uuid not null,
  from_status text,
  to_status text not null,
  trigger text not null,
  reason text,
  actor text not null,
  at timestamptz not null,
  primary key (partner_id, resource_id, id)
);
-- For the audit trail, which lists and seals the rows of all partners in order of id.
create index state_changes_sealed on state_changes (id);
create trigger state_changes_immutable before update or delete or truncate on state_changes
  for each statement execute function history_is_kept();
