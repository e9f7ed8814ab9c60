-- Access: partners with their callers and keys, operators who sign in, and the responses stored for
-- repeated requests.

create table partners (
  id uuid primary key,
  name text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED')),
  -- The ceiling: the most that may be outstanding and reserved for all borrowers of the partner.
  exposure_max bigint not null check (exposure_max >= 0),
  -- What is outstanding and reserved now. Stored to avoid adding up all credit lines; verify
  -- recomputes it.
  exposure bigint not null default 0 check (exposure >= 0),
  -- Whether human callers, like agents, need a decision for gated operations.
  people_need_decisions boolean not null default false,
  -- Which invoices wait for a review: none, those that the service cannot verify itself, or all.
  invoice_review text not null default 'NONE' check (invoice_review in ('NONE', 'DOUBTFUL', 'ALL')),
  created_at timestamptz not null
);

create table operators (
  id uuid primary key,
  -- Null for the lender's operators. A partner's operators see only that partner's data.
  partner_id uuid references partners,
  email text not null unique,
  role text not null check (role in ('viewer', 'reviewer', 'admin')),
  created_at timestamptz not null,
  disabled_at timestamptz
);
create index operators_partner on operators (partner_id) where partner_id is not null;

-- Credentials of operators, apart from `operators` because only the service may read them.
create table operator_secrets (
  operator_id uuid primary key references operators,
  password_hash text not null,
  -- Encrypted. Once the secret is confirmed, each sign-in requires a code.
  totp_secret text,
  totp_confirmed_at timestamptz,
  -- The time step of the last code used. A code is accepted once.
  totp_step bigint
);

-- Times are real time, as for keys.
create table sessions (
  id uuid primary key,
  operator_id uuid not null references operators,
  token_hash text not null unique,
  created_at timestamptz not null,
  used_at timestamptz not null,
  -- The session ends at this time at the latest, however recently it was used.
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index sessions_operator on sessions (operator_id);

-- Attempts to sign in, which limit further attempts. Kept for a year (access/delete-sign-ins.ts).
create table sign_ins (
  id uuid primary key,
  at timestamptz not null,
  email text not null,
  address text not null,
  -- The browser or session if it had already identified the operator; its failed attempts are
  -- counted separately.
  device text,
  outcome text not null check
    (outcome in ('DONE', 'REFUSED', 'CODE_ASKED', 'CODE_REFUSED', 'THROTTLED'))
);
create index sign_ins_email on sign_ins (email, at);
create index sign_ins_address on sign_ins (address, at);
create index sign_ins_device on sign_ins (device, at) where device is not null;

-- The identities behind API keys. Rotating a key does not change its caller.
create table callers (
  id uuid not null,
  partner_id uuid not null references partners,
  name text not null,
  actor text not null check (actor in ('human', 'agent')),
  -- The operator for whom the caller acts, if any. An operator has one caller for each partner they
  -- act for.
  operator_id uuid references operators,
  created_at timestamptz not null,
  primary key (partner_id, id)
);
create unique index callers_operator on callers (partner_id, operator_id)
  where operator_id is not null;

create table keys (
  id uuid not null,
  partner_id uuid not null references partners,
  caller_id uuid not null,
  -- The first characters, by which users recognize the key. The key itself is never stored.
  prefix text not null,
  hash text not null,
  scopes text[],
  version text not null,
  created_at timestamptz not null,
  -- Updated at most once a minute.
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  rotated_from uuid,
  primary key (partner_id, id),
  foreign key (partner_id, caller_id) references callers,
  foreign key (partner_id, rotated_from) references keys
);

-- Returns the caller of a key. Reads across all partners, since the key itself identifies the
-- partner. A function, because its plan is cached: planning takes longer than running.
create function key_holder(wanted text)
returns table (key_id uuid, partner_id uuid, caller_id uuid, actor text, scopes text[],
  version text, partner_suspended boolean, people_need_decisions boolean, use_unseen boolean)
language plpgsql volatile as $$
declare
  walls text := coalesce(current_setting('headroom.partners', true), '');
begin
  perform set_config('headroom.partners', '*', true);
  return query
    select k.id, k.partner_id, k.caller_id, c.actor, k.scopes, k.version,
      p.status = 'SUSPENDED', p.people_need_decisions,
      coalesce(k.last_used_at < now() - interval '1 minute', true)
    from directory d join keys k on k.partner_id = d.partner_id and k.id = d.id
    join callers c on c.partner_id = k.partner_id and c.id = k.caller_id
    join partners p on p.id = k.partner_id
    where d.kind = 'key' and d.value = wanted and k.revoked_at is null
      and coalesce(k.expires_at > now(), true);
  perform set_config('headroom.partners', walls, true);
end $$;

-- Returns the caller whose key issued a borrower's access token. The token names the key's partner.
create function token_holder(of_partner uuid, wanted uuid)
returns table (key_id uuid, partner_id uuid, caller_id uuid, actor text, version text,
  partner_suspended boolean)
language plpgsql volatile as $$
declare
  walls text := coalesce(current_setting('headroom.partners', true), '');
begin
  perform set_config('headroom.partners', of_partner::text, true);
  return query
    select k.id, k.partner_id, k.caller_id, c.actor, k.version, p.status = 'SUSPENDED'
    from keys k join callers c on c.partner_id = k.partner_id and c.id = k.caller_id
    join partners p on p.id = k.partner_id
    where k.partner_id = of_partner and k.id = wanted and k.revoked_at is null
      and coalesce(k.expires_at > now(), true);
  perform set_config('headroom.partners', walls, true);
end $$;

-- Responses to replay for repeated requests. Most are written in the transaction of their effect,
-- so that a crash leaves both or neither.
create table idempotency_keys (
  -- The key's owner: a partner, or an operator for requests in the back office.
  partner_id uuid not null,
  key text not null,
  operation text not null,
  request_hash text not null,
  status integer not null,
  -- Encrypted, because a response may contain a key or a secret.
  answer text not null,
  resource_id uuid,
  created_at timestamptz not null,
  primary key (partner_id, key)
) with (toast_tuple_target = 8160);
-- Encrypted data does not compress, so PostgreSQL must not try.
alter table idempotency_keys alter column answer set storage external;
create index idempotency_keys_created on idempotency_keys (created_at);

-- The audit log of actions, such as creating a key or activating a kill switch. Status changes are
-- in state_changes.
create table acts (
  id uuid not null,
  at timestamptz not null,
  -- The nil id if the action concerns no partner.
  partner_id uuid not null,
  -- The id of an operator or caller, or the name of a component.
  actor text not null,
  act text not null,
  resource text not null,
  resource_id uuid not null,
  reason text,
  primary key (partner_id, resource_id, id)
);
-- For the audit trail, which lists and seals the rows of all partners in order of id.
create index acts_sealed on acts (id);
create trigger acts_immutable before update or delete or truncate on acts
  for each statement execute function history_is_kept();
