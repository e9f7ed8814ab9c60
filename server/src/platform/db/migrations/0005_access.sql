-- Who may call: partners with their callers and keys, and people who sign in; and the answers kept
-- for repeats of a request.

create table partners (
  id uuid primary key,
  name text not null,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'SUSPENDED')),
  -- Outstanding and reserved over all its borrowers never pass it.
  exposure_max bigint not null check (exposure_max >= 0),
  -- That sum, kept beside the lines; verify compares.
  exposure bigint not null default 0 check (exposure >= 0),
  -- People write without a decision, unless their partner wants it otherwise.
  people_need_decisions boolean not null default false,
  -- Which of a partner's invoices wait: none, those that the service cannot check by itself, or
  -- all.
  invoice_review text not null default 'NONE' check (invoice_review in ('NONE', 'DOUBTFUL', 'ALL')),
  created_at timestamptz not null
);

create table operators (
  id uuid primary key,
  -- Null: one of the lender's own people. Those of a partner see its world alone.
  partner_id uuid references partners,
  email text not null unique,
  role text not null check (role in ('viewer', 'reviewer', 'admin')),
  created_at timestamptz not null,
  disabled_at timestamptz
);
create index operators_partner on operators (partner_id) where partner_id is not null;

-- What people sign in with, apart from who they are: the service alone sees it.
create table operator_secrets (
  operator_id uuid primary key references operators,
  password_hash text not null,
  -- Encrypted; asked for at each sign-in once it was confirmed.
  totp_secret text,
  totp_confirmed_at timestamptz,
  -- The last step of time whose code was used: none is taken twice.
  totp_step bigint
);

-- Real time, as keys.
create table sessions (
  id uuid primary key,
  operator_id uuid not null references operators,
  token_hash text not null unique,
  created_at timestamptz not null,
  used_at timestamptz not null,
  -- However much it is used.
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index sessions_operator on sessions (operator_id);

-- Every attempt to sign in, for ever: who tries too often has to wait.
create table sign_ins (
  id uuid primary key,
  at timestamptz not null,
  email text not null,
  address text not null,
  -- A wrong password counts against the browser it came from where the person has signed in there
  -- before, and against everyone else otherwise.
  device text,
  outcome text not null check
    (outcome in ('DONE', 'REFUSED', 'CODE_ASKED', 'CODE_REFUSED', 'THROTTLED'))
);
create index sign_ins_email on sign_ins (email, at);
create index sign_ins_address on sign_ins (address, at);
create index sign_ins_device on sign_ins (device, at) where device is not null;

-- Who acts: identity is the caller, not the key, so rotating a key keeps it.
create table callers (
  id uuid not null,
  partner_id uuid not null references partners,
  name text not null,
  actor text not null check (actor in ('human', 'agent')),
  -- What a person does in a partner's world has a caller of its own there.
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
  -- The first characters, to recognise it by; the key itself is never stored.
  prefix text not null,
  hash text not null,
  -- Null: all there are.
  scopes text[],
  version text not null,
  created_at timestamptz not null,
  -- To the minute.
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  rotated_from uuid,
  primary key (partner_id, id),
  foreign key (partner_id, caller_id) references callers,
  foreign key (partner_id, rotated_from) references keys
);

-- Who holds a key: asked by every request, when nobody is known yet, so over all walls. A function
-- keeps its plan; planning this anew took longer than answering it.
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

-- Who minted an access token: asked by every call of a borrower. The token names the partner of its
-- key.
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

-- Answers kept for repeats of the same request, each written in the transaction of its effect,
-- so that a crash between leaves nothing.
create table idempotency_keys (
  -- Who works in the back office names requests too: by the own id, for they are no partner's.
  partner_id uuid not null,
  key text not null,
  operation text not null,
  request_hash text not null,
  status integer not null,
  -- Encrypted: an answer may show a key or a secret.
  answer text not null,
  resource_id uuid,
  created_at timestamptz not null,
  primary key (partner_id, key)
) with (toast_tuple_target = 8160);
-- They are encrypted: trying to compress them is lost labour.
alter table idempotency_keys alter column answer set storage external;
create index idempotency_keys_created on idempotency_keys (created_at);

-- What people and callers do that is no step of a status: keys, switches. Kept for ever.
create table acts (
  id uuid not null,
  at timestamptz not null,
  -- The nil id: it concerns no partner.
  partner_id uuid not null,
  -- An operator or a caller by its id, else what acted by itself.
  actor text not null,
  act text not null,
  resource text not null,
  resource_id uuid not null,
  reason text,
  primary key (partner_id, resource_id, id)
);
-- The audit trail lists and seals those of all partners in the order of their ids.
create index acts_sealed on acts (id);
create trigger acts_immutable before update or delete or truncate on acts
  for each statement execute function history_is_kept();
