-- Alerts that need an operator's attention.

-- A kind and subject have at most one open alert.
create table alerts (
  id uuid primary key,
  kind text not null,
  subject_id uuid not null,
  detail text not null,
  raised_at timestamptz not null,
  cleared_at timestamptz
);
create unique index alerts_open on alerts (kind, subject_id) where cleared_at is null;
