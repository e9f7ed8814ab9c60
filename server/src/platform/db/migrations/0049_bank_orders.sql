-- Orders to the bank, as they were first sent. A bank that may have an order gets the same one
-- again, so it never changes.

create table bank_orders (
  partner_id uuid not null,
  -- The payment, whose id is the bank's idempotency key.
  id uuid not null,
  content json not null,
  stored_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, id) references payments
);
create trigger bank_orders_stay before update or delete on bank_orders
  for each statement execute function history_is_kept();
alter table bank_orders enable row level security;
alter table bank_orders force row level security;
create policy partner_wall on bank_orders
  using (may_see(partner_id)) with check (may_see(partner_id));
-- Until the first ANALYZE, as in 0030_statistics_from_the_start.sql.
do $$
begin
  if exists (select from pg_proc where proname = 'pg_restore_attribute_stats') then
    execute $call$select
      pg_restore_attribute_stats('schemaname', 'public',
        'relname', 'bank_orders', 'attname', 'partner_id', 'inherited', false,
        'null_frac', 0::real, 'avg_width', 16, 'n_distinct', -0.00005::real),
      pg_restore_attribute_stats('schemaname', 'public',
        'relname', 'bank_orders', 'attname', 'id', 'inherited', false,
        'null_frac', 0::real, 'avg_width', 16, 'n_distinct', -1::real)$call$;
  end if;
end
$$;

-- The lender's own orders: payments to the card processor, and unmatched payments that go back.
create table lender_orders (
  id uuid primary key,
  content json not null,
  stored_at timestamptz not null
);
create trigger lender_orders_stay before update or delete on lender_orders
  for each statement execute function history_is_kept();

-- The sandbox bank's memory of every order, also of those that it refused.
create table sandbox_bank_orders (
  payment_id uuid primary key,
  content json not null,
  -- The reason code of a refusal.
  refused_for text,
  created_at timestamptz not null
);
