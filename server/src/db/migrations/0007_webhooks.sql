-- Subscriptions and what was delivered to them.

create table webhooks (
  id uuid primary key,
  partner_id uuid not null references partners,
  name text not null,
  to_url text not null,
  event_types text[] not null,
  status text not null check (status in ('ACTIVE', 'DISABLED')),
  -- Encrypted; the one before stays valid for a while after rotation.
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  deleted_at timestamptz
);
create index webhooks_partner on webhooks (partner_id, id);

create table webhook_deliveries (
  id uuid primary key,
  partner_id uuid not null references partners,
  webhook_id uuid not null references webhooks,
  event_id uuid not null references events,
  -- Deliveries about one resource go out one after the other.
  ordering_key uuid not null,
  position bigint not null,
  status text not null check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  leased_until timestamptz,
  last_status integer,
  last_error text,
  last_attempt_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz not null,
  unique (webhook_id, event_id)
);
create index webhook_deliveries_page on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_due on webhook_deliveries (next_attempt_at)
  where status = 'PENDING';
create index webhook_deliveries_order on webhook_deliveries (webhook_id, ordering_key, position)
  where status = 'PENDING';
