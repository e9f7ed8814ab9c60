-- Decisions that humans approve, their steps, and attempts to execute them.

create table decisions (
  id uuid not null,
  partner_id uuid not null references partners,
  status text not null check
    (status in ('PROPOSED', 'APPROVED', 'REJECTED', 'WITHDRAWN', 'EXPIRED', 'EXECUTED')),
  title text not null,
  rationale text not null,
  -- Bytes of JSON in the planned requests and their responses. Lists use it to fill a page up to
  -- its size.
  size_bytes integer not null default 0 check (size_bytes >= 0),
  proposer_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- A caller of the partner, or an operator of the lender.
  reviewer_id uuid,
  comment text,
  reviewed_at timestamptz,
  executed_at timestamptz,
  primary key (partner_id, id),
  foreign key (partner_id, proposer_id) references callers
);
create index decisions_open on decisions (expires_at) where status in ('PROPOSED', 'APPROVED');

create table decision_steps (
  id uuid not null,
  decision_id uuid not null,
  partner_id uuid not null references partners,
  step integer not null check (step > 0),
  status text not null check (status in ('PLANNED', 'EXECUTED')),
  method text not null,
  path text not null,
  body jsonb,
  executed_at timestamptz,
  -- The external order that the step waits for. Its outcome executes the step or releases it.
  order_id uuid,
  response_status integer,
  -- The response, without secrets that are shown only once.
  response_json jsonb,
  -- The attempt to record once the order has its outcome.
  attempt jsonb,
  -- The Idempotency-Key of the request that executes the step.
  request_key text,
  -- The hash of the request of a step that waits: the same Idempotency-Key with other content is a
  -- conflict.
  request_hash text,
  primary key (partner_id, id),
  unique (decision_id, step),
  check (status = 'EXECUTED' or response_status is null),
  check ((order_id is null) = (attempt is null)),
  check (order_id is null or status = 'PLANNED'),
  foreign key (partner_id, decision_id) references decisions
);
create unique index decision_steps_order on decision_steps (order_id) where order_id is not null;

-- Attempts to act under a decision. They may name an unknown decision or none.
create table decision_attempts (
  id uuid not null,
  partner_id uuid not null references partners,
  decision_id uuid,
  step integer,
  caller_id uuid not null,
  key_id uuid,
  operation text not null,
  method text not null,
  path text not null,
  outcome text not null check (outcome in ('EXECUTED', 'REFUSED', 'FAILED')),
  code text,
  request_id text not null,
  at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, caller_id) references callers,
  foreign key (partner_id, key_id) references keys
);
-- For the audit trail, which seals the attempts of all partners in order of id.
create index decision_attempts_sealed on decision_attempts (id);
create index decision_attempts_decision on decision_attempts (partner_id, decision_id, id)
  where decision_id is not null;
create trigger decision_attempts_immutable before update or delete or truncate
  on decision_attempts for each statement execute function history_is_kept();

-- Counts attempts that fail alike within an hour. Only the first have rows in decision_attempts, so
-- that no caller can fill the disk.
create table attempt_counts (
  id uuid not null,
  partner_id uuid not null references partners,
  caller_id uuid not null,
  -- Null if no decision was named, or the named one does not exist.
  decision_id uuid,
  outcome text not null check (outcome in ('REFUSED', 'FAILED')),
  code text not null,
  hour timestamptz not null,
  count bigint not null check (count > 0),
  last_at timestamptz not null,
  -- The last attempt that has a row in decision_attempts.
  attempt_id uuid not null,
  primary key (partner_id, id),
  foreign key (partner_id, caller_id) references callers
);
create unique index attempt_counts_alike on attempt_counts
  (partner_id, caller_id, decision_id, outcome, code, hour) nulls not distinct;
create index attempt_counts_attempt on attempt_counts (partner_id, attempt_id);
