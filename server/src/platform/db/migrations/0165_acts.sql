-- What people and callers do that is no step of a status: keys, switches. Kept for ever.
create table acts (
  id uuid primary key,
  at timestamptz not null,
  -- Null: it is about no partner.
  partner_id uuid references partners,
  -- An operator or a caller by its id, else what acted by itself.
  actor text not null,
  act text not null,
  resource text not null,
  resource_id uuid not null,
  reason text
);
create index acts_resource on acts (resource_id, id);

create function acts_are_kept() returns trigger language plpgsql as $$
begin
  raise exception 'acts are never changed';
end $$;
create trigger acts_are_kept before update or delete on acts
  for each statement execute function acts_are_kept();

-- What is known of those before.
insert into acts (id, at, partner_id, actor, act, resource, resource_id)
  select id, created_at, partner_id, 'service', 'create', 'key', id from keys;
insert into acts (id, at, partner_id, actor, act, resource, resource_id, reason)
  select id, thrown_at, partner_id, thrown_by::text, 'throw', kind || '_switch', id, reason
  from kill_switches;

alter table acts enable row level security;
alter table acts force row level security;
create policy partner_wall on acts using (may_see(partner_id)) with check (may_see(partner_id));

-- No plan could use it: under the partner walls names are compared row by row.
drop index borrowers_name;
