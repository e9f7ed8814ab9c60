-- What a bill prints stays as it is once it is issued: that no line comes is guarded as well, by
-- statement, as all that is written by the thousand.
create function bill_lines_refuse_more() returns trigger language plpgsql
set enable_seqscan = off as $$
declare wrong uuid;
begin
  select n.bill_id into wrong from (select distinct bill_id from new_lines) n
    where (select b.status from bills b where b.id = n.bill_id) <> 'GENERATED' limit 1;
  if wrong is not null then
    raise exception 'bill % was issued: its lines stay as they are', wrong
      using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
create trigger bill_lines_no_more after insert on bill_lines
  referencing new table as new_lines
  for each statement execute function bill_lines_refuse_more();
