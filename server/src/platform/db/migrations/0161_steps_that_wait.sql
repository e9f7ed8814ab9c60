-- A step whose effect is outside waits for what comes of its order, and is executed with that.

alter table decision_steps
  add column order_id uuid,
  -- Who asked, kept as an attempt once it was done.
  add column attempt jsonb,
  -- The Idempotency-Key it was asked for with.
  add column request_key text,
  add check ((order_id is null) = (attempt is null)),
  add check (order_id is null or status = 'PLANNED');

create unique index decision_steps_order on decision_steps (order_id) where order_id is not null;
