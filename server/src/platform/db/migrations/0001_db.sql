-- The deployment, and the history that every write leaves behind.

create table deployment (
  id integer primary key check (id = 1),
  mode text not null check (mode in ('sandbox', 'live')),
  -- Sandbox only: business time = real time + offset.
  clock_offset_ms bigint not null default 0,
  -- Signs document addresses; encrypts webhook secrets.
  secret text not null,
  -- Who lends: name, register, addresses, accounts (db/settings.ts, Lender).
  lender jsonb not null,
  created_at timestamptz not null default now()
);

-- What is written once is never changed or deleted: the history, and all that is proof of it.
create function history_is_kept() returns trigger language plpgsql as $$
begin
  raise exception 'the history is append-only: % on %', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end $$;

-- Rows that may change, yet stay: tables that are written by the thousand name them without a
-- foreign key.
create function refuse_delete() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never deleted', tg_table_name using errcode = 'restrict_violation';
end $$;

-- Every change of every status: who, why, when. They are found by their resource.
create table state_changes (
  id uuid not null,
  -- The nil id: the resource is the lender's.
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
-- The audit trail lists and seals those of all partners in the order of their ids.
create index state_changes_sealed on state_changes (id);
create trigger state_changes_immutable before update or delete or truncate on state_changes
  for each statement execute function history_is_kept();
