-- Credit lines, and what set their limits.

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
  -- Principal lent and not repaid. Kept beside the postings; verify compares.
  outstanding bigint not null default 0 check (outstanding >= 0),
  -- Principal promised: loans from submission to payout, repayments still revocable.
  reserved bigint not null default 0 check (reserved >= 0),
  -- Cleared by cards and not yet lent as a loan; what came back counts below zero. Above zero it
  -- is part of `outstanding`.
  card_spent bigint not null default 0,
  -- Held by open authorisations: part of `reserved`.
  card_pending bigint not null default 0 check (card_pending >= 0),
  starts_on date not null,
  ends_on date not null,
  -- When its limit was last looked at.
  assessed_on date not null,
  signed_at timestamptz not null,
  created_at timestamptz not null,
  -- Set when its borrower was deactivated: nothing is drawn on the line, nobody assesses it again.
  closed_at timestamptz,
  primary key (partner_id, id),
  foreign key (partner_id, borrower_id) references borrowers
);
create index credit_lines_assessed on credit_lines (assessed_on);
-- Lines whose cards are in credit are looked up every morning, to give it back: there are few.
create index credit_lines_in_credit on credit_lines (id) where card_spent < 0;

-- The rules that set limits, by version; the youngest of a mode is in force.
create table scorecards (
  version text primary key,
  mode text not null check (mode in ('sandbox', 'live')),
  in_force_from date not null,
  rules jsonb not null,
  -- Who added a scorecard and why; the first ones came with the program.
  reason text,
  added_by uuid references operators,
  added_at timestamptz
);
create trigger scorecards_immutable before update or delete on scorecards
  for each statement execute function assessments_refuse_change();

-- Amounts are cents, shares parts per million. Of a rule's steps the last one reached counts; a
-- figure that is not known reaches none.
-- A limit by hand above `four_eyes_above`, and above the present one, takes two operators.
-- `segments` name a company by its yearly turnover.
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

-- The rules before these, so that the limits they set can still be replayed.
insert into scorecards (version, mode, in_force_from, rules)
  select replace(version, '11', '07'), mode, '2025-01-01', jsonb_set(rules, '{rules}',
    case mode when 'sandbox' then '[]' else jsonb_path_query_array(rules, '$.rules[0 to 1]') end)
  from scorecards;
-- Averages turnover over at least three months, counts months with income from 500 euros on, and
-- extends the lowest step of the balance to any overdraft.
insert into scorecards (version, mode, in_force_from, rules)
  select replace(version, '-11', '-12'), mode, in_force_from,
    rules || jsonb_build_object('turnover_months_min', 3, 'income_month_from', 50000,
      'rules', (select jsonb_agg(case rule ->> 'figure' when 'balance_total'
          then jsonb_set(rule, '{steps,0,from}', '-1000000000000000') else rule end order by n)
        from jsonb_array_elements(rules -> 'rules') with ordinality r (rule, n)))
  from scorecards where version in ('sandbox-2026-11', 'live-2026-11');

-- A limit that an operator sets instead of the scorecard's: why, until when, and by whom. Above a
-- threshold it waits for another operator.
create table limit_overrides (
  id uuid not null,
  partner_id uuid not null references partners,
  credit_line_id uuid not null,
  pool_amount bigint not null check (pool_amount >= 0),
  reason text not null check (reason <> ''),
  -- The last day on which it holds; null: until somebody ends it.
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

-- Every limit that was ever set: why, by which rules, from what. Never changed.
create table credit_assessments (
  id uuid not null,
  partner_id uuid not null references partners,
  credit_line_id uuid not null,
  cause text not null
    check (cause in ('CREATION', 'DATA_SHARED', 'REPAYMENT', 'RENEWAL', 'OVERRIDE')),
  scorecard_version text not null references scorecards,
  -- The limit by hand that an assessment found in force.
  override_id uuid,
  inputs jsonb not null,
  -- What each rule added or took.
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
