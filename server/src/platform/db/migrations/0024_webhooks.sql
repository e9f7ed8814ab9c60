-- Subscriptions to events, and what is to be delivered to them.

create table webhooks (
  id uuid not null,
  partner_id uuid not null references partners,
  name text not null,
  to_url text not null,
  event_types text[] not null,
  status text not null check (status in ('ACTIVE', 'DISABLED')),
  disabled_reason text,
  -- Encrypted; the one before stays valid for a while after rotation.
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  deleted_at timestamptz,
  -- Deleted, and the last of its deliveries is given up.
  cleared_at timestamptz,
  primary key (partner_id, id)
);
create index webhooks_to_clear on webhooks (id) where deleted_at is not null and cleared_at is null;

-- Moments are real time, whatever the clock of a sandbox says.
create table webhook_deliveries (
  id uuid not null,
  partner_id uuid not null references partners,
  webhook_id uuid not null,
  event_id uuid not null,
  -- Deliveries about one resource go out one after the other, in order of position.
  ordering_key uuid not null,
  position bigint not null,
  status text not null check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  -- What was tried, oldest first: [{attempted_at, response_status, duration_ms, error}].
  attempts jsonb not null default '[]',
  -- Attempts since it was last queued; the delay of the next one follows from it.
  tries integer not null default 0,
  -- Null while an earlier one of the same resource is still to come, or the webhook is disabled.
  next_attempt_at timestamptz,
  leased_until timestamptz,
  created_at timestamptz not null,
  primary key (partner_id, id),
  unique (webhook_id, event_id),
  foreign key (partner_id, webhook_id) references webhooks,
  foreign key (partner_id, event_id) references events
);
create index webhook_deliveries_page on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_unsent on webhook_deliveries (webhook_id, id)
  where status <> 'DELIVERED';
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at)
  where status = 'PENDING' and next_attempt_at is not null;
create index webhook_deliveries_leased on webhook_deliveries (webhook_id, leased_until)
  where leased_until is not null;
create index webhook_deliveries_order on webhook_deliveries (webhook_id, ordering_key, position)
  where status = 'PENDING';
