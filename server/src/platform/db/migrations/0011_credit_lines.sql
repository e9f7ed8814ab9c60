-- Credit lines, with the scorecards, overrides and assessments that set their limits.

create function assessments_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: %', tg_table_name, tg_op using errcode = 'restrict_violation';
end $$;

create table credit_lines (
  id uuid not null,
  partner_id uuid not null references partners,
  borrower_id uuid not null unique,
  contract_number text not null,
  pool_amount bigint not null check (pool_amount between 0 and 20000000),
  -- Principal paid out and not repaid, and card spending. Stored to avoid summing postings; verify
  -- recomputes it.
  outstanding bigint not null default 0 check (outstanding >= 0),
  -- Reserved for loans before their payout, for debits that may be returned, and for card
  -- authorizations.
  reserved bigint not null default 0 check (reserved >= 0),
  -- Cleared card spending that is not in a loan yet, less money returned to cards. Part of
  -- `outstanding` if positive.
  card_spent bigint not null default 0,
  -- Held by open card authorizations; part of `reserved`.
  card_pending bigint not null default 0 check (card_pending >= 0),
  starts_on date not null,
  ends_on date not null,
  assessed_on date not null,
  signed_at timestamptz not null,
  created_at timestamptz not null,
  -- Set when the borrower is deactivated. A closed line cannot be drawn or assessed.
  closed_at timestamptz,
  primary key (partner_id, id),
  foreign key (partner_id, borrower_id) references borrowers
);
create index credit_lines_assessed on credit_lines (assessed_on);
-- Finds the few lines whose cards have a credit balance to refund.
create index credit_lines_in_credit on credit_lines (id) where card_spent < 0;

-- The rules that set limits, by version. In each mode, the newest version whose in_force_from has
-- been reached applies.
create table scorecards (
  version text primary key,
  mode text not null check (mode in ('sandbox', 'live')),
  in_force_from date not null,
  rules jsonb not null,
  -- Why, by whom and when the scorecard was added; null for the scorecards inserted here.
  reason text,
  added_by uuid references operators,
  added_at timestamptz
);
create trigger scorecards_immutable before update or delete on scorecards
  for each statement execute function assessments_refuse_change();

-- Amounts are in cents, shares in parts per million. The last step of a rule that the figure
-- reaches counts; an unknown figure reaches none. An override above both `four_eyes_above` and the
-- current limit needs a second operator. `segments` classify companies by yearly turnover.
insert into scorecards (version, mode, in_force_from, rules)
values ('sandbox-2026-11', 'sandbox', '2026-01-01', '{
  "base": 5000000, "cap": 20000000, "four_eyes_above": 10000000,
  "windows": {"transactions_days": 180, "balance_days": 90, "invoices_days": 180,
    "activity_days": 365, "repayments_days": 730},
  "low_cash_below": 50000, "late_from_days": 5, "fresh_days": 90, "reassess_days": 30,
  "rules": [
    {"name": "turnover", "figure": "turnover_monthly", "steps": [
      {"from": 0, "adds": -2500000}, {"from": 500000, "adds": -1500000},
      {"from": 1500000, "adds": 0}, {"from": 3000000, "adds": 1500000},
      {"from": 6000000, "adds": 4000000}, {"from": 12000000, "adds": 8000000},
      {"from": 25000000, "adds": 12000000}]},
    {"name": "regular_income", "figure": "months_with_income", "steps": [
      {"from": 0, "adds": -1000000}, {"from": 1, "adds": 0}, {"from": 3, "adds": 500000},
      {"from": 6, "adds": 1000000}]},
    {"name": "cash", "figure": "balance_total", "steps": [
      {"from": -1000000000000, "adds": -1500000}, {"from": 0, "adds": -500000},
      {"from": 200000, "adds": 0}, {"from": 2000000, "adds": 1000000},
      {"from": 10000000, "adds": 2500000}]},
    {"name": "low_cash", "figure": "low_cash_days", "steps": [
      {"from": 5, "adds": -500000}, {"from": 15, "adds": -1500000}]},
    {"name": "overdue_invoices", "figure": "overdue_ppm", "steps": [
      {"from": 200000, "adds": -500000}, {"from": 500000, "adds": -1500000}]},
    {"name": "repaid_on_time", "figure": "repaid_on_time_amount", "steps": [
      {"from": 20000000, "adds": 1000000}, {"from": 50000000, "adds": 2500000}]},
    {"name": "repaid_late", "figure": "repaid_late", "steps": [
      {"from": 1, "adds": -1000000}, {"from": 3, "adds": -2500000}]}],
  "segments": [
    {"segment": "CAT1", "turnover_from": 0}, {"segment": "CAT2", "turnover_from": 200000000},
    {"segment": "CAT3", "turnover_from": 1000000000},
    {"segment": "CAT4", "turnover_from": 5000000000}]
}');
insert into scorecards (version, mode, in_force_from, rules)
  select 'live-2026-11', 'live', '2026-01-01',
  rules || jsonb_build_object('base', 500000, 'rules', '[
    {"name": "age", "figure": "age_days", "steps": [
      {"from": 365, "adds": 500000}, {"from": 1095, "adds": 1500000},
      {"from": 1825, "adds": 2500000}]},
    {"name": "share_capital", "figure": "share_capital", "steps": [
      {"from": 1000000, "adds": 500000}, {"from": 5000000, "adds": 1500000},
      {"from": 10000000, "adds": 2500000}]}]'::jsonb || (rules->'rules'))
  from scorecards;

-- Older rules, so that assessments made with them can still be recomputed.
insert into scorecards (version, mode, in_force_from, rules)
  select replace(version, '11', '07'), mode, '2025-01-01', jsonb_set(rules, '{rules}',
    case mode when 'sandbox' then '[]' else jsonb_path_query_array(rules, '$.rules[0 to 1]') end)
  from scorecards;
-- Newer rules: turnover is averaged over at least three months, a month with income has at least
-- 500 euros, and the lowest step of the cash rule includes any overdraft.
insert into scorecards (version, mode, in_force_from, rules)
  select replace(version, '-11', '-12'), mode, in_force_from,
    rules || jsonb_build_object('turnover_months_min', 3, 'income_month_from', 50000,
      'rules', (select jsonb_agg(case rule ->> 'figure' when 'balance_total'
          then jsonb_set(rule, '{steps,0,from}', '-1000000000000000') else rule end order by n)
        from jsonb_array_elements(rules -> 'rules') with ordinality r (rule, n)))
  from scorecards where version in ('sandbox-2026-11', 'live-2026-11');

-- Limits that operators set instead of the scorecard's. Above a threshold, a second operator must
-- approve them.
create table limit_overrides (
  id uuid not null,
  partner_id uuid not null references partners,
  credit_line_id uuid not null,
  pool_amount bigint not null check (pool_amount >= 0),
  reason text not null check (reason <> ''),
  -- The last day on which the limit applies; null if it applies until an operator ends it.
  until_on date,
  status text not null check (status in ('PROPOSED', 'IN_FORCE', 'REJECTED', 'ENDED')),
  proposed_by uuid not null references operators,
  approved_by uuid references operators,
  proposed_at timestamptz not null,
  in_force_at timestamptz,
  primary key (partner_id, id),
  check (approved_by <> proposed_by),
  foreign key (partner_id, credit_line_id) references credit_lines
);
create unique index limit_overrides_in_force on limit_overrides (partner_id, credit_line_id)
  where status = 'IN_FORCE';
create unique index limit_overrides_proposed on limit_overrides (partner_id, credit_line_id)
  where status = 'PROPOSED';

create table credit_assessments (
  id uuid not null,
  partner_id uuid not null references partners,
  credit_line_id uuid not null,
  cause text not null
    check (cause in ('CREATION', 'DATA_SHARED', 'REPAYMENT', 'RENEWAL', 'OVERRIDE')),
  scorecard_version text not null references scorecards,
  override_id uuid,
  inputs jsonb not null,
  -- What each rule added to the limit or subtracted from it.
  steps jsonb not null,
  pool_amount bigint not null check (pool_amount >= 0),
  ends_on date not null,
  assessed_at timestamptz not null,
  primary key (partner_id, id),
  foreign key (partner_id, credit_line_id) references credit_lines,
  foreign key (partner_id, override_id) references limit_overrides
);
create index credit_assessments_line on credit_assessments (partner_id, credit_line_id, id);
create trigger credit_assessments_immutable before update or delete on credit_assessments
  for each statement execute function assessments_refuse_change();
