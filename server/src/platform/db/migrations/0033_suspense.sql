-- Money in suspense is matched by hand, or goes back; payouts are made again; people are alerted.

-- What somebody has to see. One open alert for each kind and subject.
create table alerts (
  id uuid primary key,
  kind text not null,
  subject_id uuid not null,
  detail text not null,
  raised_at timestamptz not null,
  cleared_at timestamptz
);
create unique index alerts_open on alerts (kind, subject_id) where cleared_at is null;

alter table suspense_items drop constraint suspense_items_status_check;
alter table suspense_items
  add constraint suspense_items_status_check
    check (status in ('OPEN', 'MATCHED', 'RETURNING', 'SENT_BACK', 'DISMISSED')),
  -- The payment that it became.
  add column matched_payment_id uuid references payments,
  -- The order that sends it back, as the bank knows it.
  add column return_order_id uuid unique,
  add column submitted_at timestamptz;

-- What is in suspense is nobody's yet.
alter table state_changes alter column partner_id drop not null;
alter table sandbox_bank_instructions alter column partner_id drop not null;

-- Of money that came before a payout which failed: what was sent back. It repays nothing when the
-- loan is paid out again.
alter table loan_movements add column given_back bigint not null default 0
  check (given_back between 0 and amount);
