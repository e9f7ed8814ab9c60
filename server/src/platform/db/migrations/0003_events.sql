-- Events: outbox and public feed at once.

-- A resource as its GET answered it at the end of a transaction. Rows are never looked into by
-- the database, so they stay text, whole and in line: most are about 2 KB.
create table event_snapshots (
  id uuid not null,
  partner_id uuid not null,
  data json not null,
  primary key (partner_id, id)
) with (toast_tuple_target = 8160);
create trigger event_snapshots_immutable before update or delete or truncate on event_snapshots
  for each statement execute function history_is_kept();

-- `position` is given once committed, in order (event_positions).
create table events (
  id uuid not null,
  partner_id uuid not null,
  type text not null,
  resource_id uuid not null,
  at timestamptz not null,
  snapshot_id uuid not null,
  -- Fields as they were at the moment of the event, laid over the snapshot.
  overlay jsonb not null default '{}',
  primary key (partner_id, id)
);
-- What a line was at a moment is what was told of it last before: found by the line.
create index events_credit_line on events (resource_id, id) where type like 'CreditLi%';
-- An event that shows a resource as its last event did is not sent: found by the resource.
create index events_counterparty on events (resource_id, id)
  where type like 'CounterpartyCreditLimit%';
create index events_product on events (resource_id, id)
  where type like 'BorrowerFinancialProduct%';
create index events_installment on events (resource_id, id) where type like 'Installment.%';
create trigger events_immutable before update or delete or truncate on events
  for each statement execute function history_is_kept();

-- Events as they are told. Who asks sees what its own walls show.
create view told_events with (security_invoker = true) as
  select e.id, e.partner_id, e.type, e.resource_id, e.at, s.data::jsonb || e.overlay as data
  from events e join event_snapshots s on s.partner_id = e.partner_id and s.id = e.snapshot_id;

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
create sequence events_position;

-- Events that have no place yet, with all that placing them asks for. They are placed partners in
-- turn (decision record 0053).
create table events_unplaced (
  event_id uuid not null,
  partner_id uuid not null,
  type text not null,
  resource_id uuid not null,
  primary key (partner_id, event_id)
);
