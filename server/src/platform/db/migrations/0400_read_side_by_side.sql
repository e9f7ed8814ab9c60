-- What only reads may run in several processes of the server at once: a report that uses one of
-- these could not be read in parallel.
do $$
declare f record;
begin
  for f in
    select oid::regprocedure as signature from pg_proc
    where pronamespace = current_schema()::regnamespace and prokind = 'f'
      and prolang = (select oid from pg_language where lanname = 'sql')
      and provolatile <> 'v' and proparallel = 'u'
  loop
    execute format('alter function %s parallel safe', f.signature);
  end loop;
end $$;
