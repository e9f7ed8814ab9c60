-- How many kinds of rows there are is told to the planner. A sample that has seen a single status,
-- or a single partner, makes it read everybody's rows to find the few of one.

do $$
declare
  owned record;
begin
  for owned in
    select c.table_name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.column_name = 'partner_id' and t.table_type = 'BASE TABLE'
  loop
    -- A partner is taken to have 20,000 rows, however many all of them have.
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
