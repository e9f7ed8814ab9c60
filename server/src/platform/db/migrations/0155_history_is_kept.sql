-- Who changed what, why and when is written once: rows of the history are never changed or deleted.
create function history_is_kept() returns trigger language plpgsql as $$
begin
  raise exception 'the history is append-only: % on %', tg_op, tg_table_name
    using errcode = 'restrict_violation';
end $$;
create trigger state_changes_immutable before update or delete or truncate on state_changes
  for each statement execute function history_is_kept();
create trigger events_immutable before update or delete or truncate on events
  for each statement execute function history_is_kept();
create trigger event_snapshots_immutable before update or delete or truncate on event_snapshots
  for each statement execute function history_is_kept();
