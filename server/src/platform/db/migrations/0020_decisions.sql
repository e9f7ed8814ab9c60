-- Decisions: what agents propose and people approve, its steps, and every attempt to act on one.

create table decisions (
  id uuid primary key,
  partner_id uuid not null references partners,
  status text not null check
    (status in ('PROPOSED', 'APPROVED', 'REJECTED', 'WITHDRAWN', 'EXPIRED', 'EXECUTED')),
  title text not null,
  rationale text not null,
  proposer_id uuid not null references callers,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- A caller of the partner, or one of the lender's people.
  reviewer_id uuid,
  comment text,
  reviewed_at timestamptz,
  executed_at timestamptz
);
create index decisions_partner on decisions (partner_id, id);
create index decisions_open on decisions (expires_at) where status in ('PROPOSED', 'APPROVED');

create table decision_steps (
  id uuid primary key,
  decision_id uuid not null references decisions,
  partner_id uuid not null references partners,
  step integer not null check (step > 0),
  status text not null check (status in ('PLANNED', 'EXECUTED')),
  method text not null,
  path text not null,
  -- Null: none is sent.
  body jsonb,
  executed_at timestamptz,
  response_status integer,
  -- What was answered, without what is shown once.
  response_json jsonb,
  unique (decision_id, step),
  check (status = 'EXECUTED' or response_status is null)
);

-- Kept for ever, whatever became of it; the decision may be unknown, or none was named.
create table decision_attempts (
  id uuid primary key,
  partner_id uuid not null references partners,
  decision_id uuid,
  step integer,
  caller_id uuid not null references callers,
  key_id uuid not null references keys,
  operation text not null,
  method text not null,
  path text not null,
  outcome text not null check (outcome in ('EXECUTED', 'REFUSED', 'FAILED')),
  -- The problem that was answered.
  code text,
  request_id text not null,
  at timestamptz not null
);
create index decision_attempts_partner on decision_attempts (partner_id, id);
create index decision_attempts_decision on decision_attempts (decision_id, id)
  where decision_id is not null;

create function attempts_are_kept() returns trigger language plpgsql as $$
begin
  raise exception 'attempts are never changed';
end $$;
create trigger attempts_are_kept before update or delete on decision_attempts
  for each statement execute function attempts_are_kept();

do $$
declare t text;
begin
  foreach t in array array['decisions', 'decision_steps', 'decision_attempts']
  loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy partner_wall on %I
      using (may_see(partner_id)) with check (may_see(partner_id))', t);
  end loop;
end $$;

-- People write without a decision, unless their partner wants it otherwise.
alter table partners add column people_need_decisions boolean not null default false;

drop function key_holder(text);
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
    from keys k join callers c on c.id = k.caller_id join partners p on p.id = k.partner_id
    where k.hash = wanted and k.revoked_at is null and coalesce(k.expires_at > now(), true);
  perform set_config('headroom.partners', walls, true);
end $$;
