-- People who sign in: the lender's own, and those of partners, who see their partner's world alone.

-- Null: one of the lender's own people.
alter table operators add column partner_id uuid references partners;
-- Encrypted; asked for at each sign-in once it was confirmed.
alter table operators add column totp_secret text;
alter table operators add column totp_confirmed_at timestamptz;
-- The last step of time whose code was used: none is taken twice.
alter table operators add column totp_step bigint;
alter table operators add column disabled_at timestamptz;
create index operators_partner on operators (partner_id) where partner_id is not null;

-- What a person does in a partner's world has a caller of its own there.
alter table callers add column operator_id uuid references operators;
create unique index callers_operator on callers (partner_id, operator_id)
  where operator_id is not null;

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
  outcome text not null check
    (outcome in ('DONE', 'REFUSED', 'CODE_ASKED', 'CODE_REFUSED', 'THROTTLED'))
);
create index sign_ins_email on sign_ins (email, at);
create index sign_ins_address on sign_ins (address, at);

-- A person acts by a session and not by a key.
alter table decision_attempts alter column key_id drop not null;

alter table operators enable row level security;
alter table operators force row level security;
-- The lender's own people act in every partner's world, and may be named there.
create policy partner_wall on operators
  using (partner_id is null or may_see(partner_id))
  with check (current_setting('headroom.partners', true) = '*');
