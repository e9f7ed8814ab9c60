-- Events, which are both the outbox and the public feed.

-- A resource as its GET shows it at the end of a transaction. The content is not queried, so it is
-- stored as text (json) and in line. Most rows have about 2 KB.
create table event_snapshots (
  id uuid not null,
  partner_id uuid not null,
  data json not null,
  primary key (partner_id, id)
) with (toast_tuple_target = 8160);
create trigger event_snapshots_immutable before update or delete or truncate on event_snapshots
  for each statement execute function history_is_kept();

-- Events receive their position in the feed after the commit (event_positions).
create table events (
  id uuid not null,
  partner_id uuid not null,
  type text not null,
  resource_id uuid not null,
  at timestamptz not null,
  snapshot_id uuid not null,
  -- Fields as of the event, which override those of the snapshot.
  overlay jsonb not null default '{}',
  primary key (partner_id, id)
);
-- Finds the last event of a credit line before a moment, which shows its state at that moment.
create index events_credit_line on events (resource_id, id) where type like 'CreditLi%';
-- These find a resource's last event: a new event that would show the same state is not written.
create index events_counterparty on events (resource_id, id)
  where type like 'CounterpartyCreditLimit%';
create index events_product on events (resource_id, id)
  where type like 'BorrowerFinancialProduct%';
create index events_installment on events (resource_id, id) where type like 'Installment.%';
create trigger events_immutable before update or delete or truncate on events
  for each statement execute function history_is_kept();

-- Events with their content as delivered, limited to the reader's partner scope.
create view told_events with (security_invoker = true) as
  select e.id, e.partner_id, e.type, e.resource_id, e.at, s.data::jsonb || e.overlay as data
  from events e join event_snapshots s on s.partner_id = e.partner_id and s.id = e.snapshot_id;

-- The feed: committed events in order. Positions are assigned after the commit, so that no event
-- appears before one already read.
create table event_positions (
  partner_id uuid not null,
  position bigint not null,
  event_id uuid not null unique,
  type text not null,
  primary key (partner_id, position)
);
-- For a feed limited to some types, with one index scan per type.
create index event_positions_type on event_positions (partner_id, type, position);
create sequence events_position;

-- Events that still need a position. Partners take turns (decision record 0053).
create table events_unplaced (
  event_id uuid not null,
  partner_id uuid not null,
  type text not null,
  resource_id uuid not null,
  primary key (partner_id, event_id)
);
