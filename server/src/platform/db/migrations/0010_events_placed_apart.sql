-- An event's row is written once: its place comes in a row of its own, and events of one
-- transaction about one thing share what was to be told.

drop index events_unplaced, events_feed, events_feed_types;

-- A resource as its GET answered it at the end of a transaction. Rows are never looked into by
-- the database, so they stay text, whole and in line: most are about 2 KB.
create table event_snapshots (
  id uuid primary key,
  partner_id uuid not null,
  data json not null
) with (toast_tuple_target = 8160);

-- Committed events in their order: the feed. A reader who has read up to a position missed none.
create table event_positions (
  partner_id uuid not null,
  position bigint not null,
  event_id uuid not null unique,
  type text not null,
  primary key (partner_id, position)
);
-- The feed of chosen types: one short walk for each type.
create index event_positions_type on event_positions (partner_id, type, position);

-- Events that have no place yet, with all that placing them asks for.
create table events_unplaced (
  event_id uuid primary key,
  partner_id uuid not null,
  type text not null,
  resource_id uuid not null
);

insert into event_snapshots (id, partner_id, data) select id, partner_id, data from events;
insert into event_positions (partner_id, position, event_id, type)
  select partner_id, position, id, type from events where position is not null;
insert into events_unplaced (event_id, partner_id, type, resource_id)
  select id, partner_id, type, resource_id from events where position is null;

alter table events
  add column snapshot_id uuid,
  -- Fields as they were at the moment of the event, laid over the snapshot.
  add column overlay jsonb not null default '{}';
update events set snapshot_id = id;
alter table events
  alter column snapshot_id set not null,
  drop column data,
  drop column position,
  -- The wall between partners compares it already; a check of each row would be paid by each event.
  drop constraint events_partner_id_fkey;
alter table state_changes drop constraint state_changes_partner_id_fkey;

-- Events as they are told. Who asks sees what its own walls show.
create view told_events with (security_invoker = true) as
  select e.id, e.partner_id, e.type, e.resource_id, e.at, s.data::jsonb || e.overlay as data
  from events e join event_snapshots s on s.id = e.snapshot_id;

do $$
declare t text;
begin
  foreach t in array array['event_snapshots', 'event_positions', 'events_unplaced'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy partner_wall on %I
      using (may_see(partner_id)) with check (may_see(partner_id))', t);
  end loop;
end $$;
