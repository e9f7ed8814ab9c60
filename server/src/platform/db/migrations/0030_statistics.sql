-- Tells the planner how many distinct values some columns have. Otherwise, after a sample with only
-- one status or partner, it would read all rows to find the few with another.

do $$
declare
  owned record;
begin
  for owned in
    select c.table_name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.column_name = 'partner_id' and t.table_type = 'BASE TABLE'
  loop
    -- Assumes that each partner has 20,000 rows, whatever the table's size.
    execute format('alter table %I alter column partner_id set (n_distinct = -0.00005)',
      owned.table_name);
  end loop;
end
$$;

alter table loans alter column status set (n_distinct = 14);
alter table loans alter column loan_type set (n_distinct = 5);
alter table loan_log alter column event_type set (n_distinct = 20);
alter table payments alter column status set (n_distinct = 8);
alter table payments alter column payment_type set (n_distinct = 12);
alter table bills alter column status set (n_distinct = 6);
alter table invoices alter column status set (n_distinct = 8);

-- Before the first ANALYZE of a table, the planner assumes 200 distinct partners, and so almost no
-- rows for each in a new table. It then joins all of a partner's invoices with all of its loans to
-- find those of one company. PostgreSQL 18 accepts statistics for empty tables: the number of
-- partners as above, and that ids are unique, which the planner cannot infer from an index on two
-- columns. ANALYZE replaces both.

do $$
declare
  known record;
begin
  if not exists (select from pg_proc where proname = 'pg_restore_attribute_stats') then
    return;
  end if;
  for known in
    select c.table_name, c.column_name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type = 'uuid'
      and c.column_name in ('id', 'partner_id')
  loop
    execute $call$select pg_restore_attribute_stats('schemaname', 'public', 'relname', $1,
      'attname', $2, 'inherited', false, 'null_frac', 0::real, 'avg_width', 16,
      'n_distinct', $3)$call$
    using known.table_name::text, known.column_name::text,
      case known.column_name when 'id' then -1 else -0.00005 end::real;
  end loop;
end
$$;
