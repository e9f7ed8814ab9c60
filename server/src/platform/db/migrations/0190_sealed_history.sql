-- The audit trail is chained by hash, in slices, once nothing can be written into a slice any more.
create table audit_seals (
  -- The table whose rows are sealed.
  record text not null,
  position bigint not null,
  -- The last row of the slice, which begins after that of the seal before.
  to_id uuid not null,
  -- The first eight bytes of each row's hash, in order: they tell which row is wrong.
  marks bytea not null,
  -- Over the hash before and the hashes of all rows.
  hash text not null,
  primary key (record, position)
);
create trigger audit_seals_immutable before update or delete or truncate on audit_seals
  for each statement execute function history_is_kept();

drop trigger acts_are_kept on acts;
drop function acts_are_kept();
create trigger acts_immutable before update or delete or truncate on acts
  for each statement execute function history_is_kept();
create trigger decision_attempts_immutable before update or delete or truncate
  on decision_attempts for each statement execute function history_is_kept();
create trigger product_changes_immutable before update or delete or truncate
  on product_changes for each statement execute function history_is_kept();
drop trigger attempts_are_kept on decision_attempts;
drop function attempts_are_kept();
