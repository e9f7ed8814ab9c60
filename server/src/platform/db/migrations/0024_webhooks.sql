-- Webhooks, which subscribe to events, and their deliveries.

create table webhooks (
  id uuid not null,
  partner_id uuid not null references partners,
  name text not null,
  to_url text not null,
  event_types text[] not null,
  status text not null check (status in ('ACTIVE', 'DISABLED')),
  disabled_reason text,
  -- Encrypted. The previous secret stays valid for a while after a rotation.
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  deleted_at timestamptz,
  -- Set once the deleted webhook has no pending deliveries.
  cleared_at timestamptz,
  primary key (partner_id, id)
);
create index webhooks_to_clear on webhooks (id) where deleted_at is not null and cleared_at is null;

-- Times are real time, even in a sandbox.
create table webhook_deliveries (
  id uuid not null,
  partner_id uuid not null references partners,
  webhook_id uuid not null,
  event_id uuid not null,
  -- Deliveries about one resource are sent one after the other, in order of position.
  ordering_key uuid not null,
  position bigint not null,
  status text not null check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  -- The attempts, oldest first: [{attempted_at, response_status, duration_ms, error}].
  attempts jsonb not null default '[]',
  -- Attempts since the delivery was last queued. They determine the delay before the next one.
  tries integer not null default 0,
  -- When to send it next. Null if no attempt is scheduled, for example behind an earlier delivery
  -- about the resource.
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
