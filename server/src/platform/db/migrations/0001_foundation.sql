-- The deployment, who may call it, and what every write leaves behind.

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

create table partners (
  id uuid primary key,
  name text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED')),
  -- Outstanding and reserved over all its borrowers never pass it.
  exposure_max bigint not null check (exposure_max >= 0),
  -- That sum, kept beside the lines; verify compares.
  exposure bigint not null default 0 check (exposure >= 0),
  created_at timestamptz not null
);

-- Who acts: identity is the caller, not the key, so rotating a key keeps it.
create table callers (
  id uuid primary key,
  partner_id uuid not null references partners,
  name text not null,
  actor text not null check (actor in ('human', 'agent')),
  created_at timestamptz not null
);
create index callers_partner on callers (partner_id);

create table keys (
  id uuid primary key,
  partner_id uuid not null references partners,
  caller_id uuid not null references callers,
  -- The first characters, to recognise it by; the key itself is never stored.
  prefix text not null,
  hash text not null unique,
  -- Null: all there are.
  scopes text[],
  version text not null,
  created_at timestamptz not null,
  -- To the minute.
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  rotated_from uuid references keys
);
create index keys_partner on keys (partner_id, id);
create index keys_caller on keys (caller_id);
create index keys_rotated_from on keys (rotated_from);

create table operators (
  id uuid primary key,
  email text not null unique,
  password_hash text not null,
  role text not null check (role in ('viewer', 'reviewer', 'admin')),
  created_at timestamptz not null
);

-- Answers kept for repeats of the same request, each written in the transaction of its effect,
-- so that a crash between leaves nothing.
create table idempotency_keys (
  partner_id uuid not null references partners,
  key text not null,
  operation text not null,
  request_hash text not null,
  status integer not null,
  -- Encrypted: an answer may show a key or a secret.
  answer text not null,
  resource_id uuid,
  created_at timestamptz not null,
  primary key (partner_id, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- Every change of every status: who, why, when.
create table state_changes (
  id uuid primary key,
  partner_id uuid not null references partners,
  resource text not null,
  resource_id uuid not null,
  from_status text,
  to_status text not null,
  trigger text not null,
  reason text,
  actor text not null,
  at timestamptz not null
);
create index state_changes_resource on state_changes (resource_id, id);

-- Outbox and public feed at once. `position` is given once committed, in order.
create table events (
  id uuid primary key,
  partner_id uuid not null references partners,
  type text not null,
  resource_id uuid not null,
  data jsonb not null,
  at timestamptz not null,
  position bigint
);
create index events_unplaced on events (id) where position is null;
create unique index events_feed on events (partner_id, position) where position is not null;
create sequence events_position;

-- Business days whose runs are all finished; a restart begins with the first that is not here.
create table business_days (
  business_date date primary key,
  finished_at timestamptz not null default now()
);
