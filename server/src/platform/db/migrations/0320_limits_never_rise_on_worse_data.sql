-- Scorecards whose limit never rises when data get worse, and every line assessed again.
--
-- Until now a company without income in its shared transactions was scored as one with the highest
-- possible turnover, and invoices not yet due as overdue. What was assessed stays as it was; the
-- next run assesses all lines again.

-- Turnover is averaged over three months at least, a month with income brings in 500 euros, and the
-- worst balance has a step of its own.
insert into scorecards (version, mode, in_force_from, rules)
  select replace(version, '-11', '-12'), mode, in_force_from,
    rules || jsonb_build_object('turnover_months_min', 3, 'income_month_from', 50000,
      'rules', (select jsonb_agg(case rule ->> 'figure' when 'balance_total'
          then jsonb_set(rule, '{steps,0,from}', '-1000000000000000') else rule end order by n)
        from jsonb_array_elements(rules -> 'rules') with ordinality r (rule, n)))
  from scorecards where version in ('sandbox-2026-11', 'live-2026-11');

update credit_lines set assessed_on = '2025-12-31' where closed_at is null;
