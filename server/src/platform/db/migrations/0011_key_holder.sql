-- Who holds a key: asked by every request, when nobody is known yet, so over all walls. A function
-- keeps its plan; planning this anew took longer than answering it.
create function key_holder(wanted text)
returns table (key_id uuid, partner_id uuid, caller_id uuid, actor text, scopes text[],
  version text, partner_suspended boolean, use_unseen boolean)
language plpgsql volatile as $$
declare
  walls text := coalesce(current_setting('headroom.partners', true), '');
begin
  perform set_config('headroom.partners', '*', true);
  return query
    select k.id, k.partner_id, k.caller_id, c.actor, k.scopes, k.version,
      p.status = 'SUSPENDED',
      coalesce(k.last_used_at < now() - interval '1 minute', true)
    from keys k join callers c on c.id = k.caller_id join partners p on p.id = k.partner_id
    where k.hash = wanted and k.revoked_at is null and coalesce(k.expires_at > now(), true);
  perform set_config('headroom.partners', walls, true);
end $$;

-- A line tells what of it is undecided on each change: from the index alone.
drop index loans_undecided;
create index loans_undecided on loans (borrower_id) include (reserved) where status in
  ('SUBMITTED', 'PENDING_VALIDATION', 'TO_VALIDATE');

-- Answers kept for repeats are encrypted: trying to compress them is lost labour.
alter table idempotency_keys set (toast_tuple_target = 8160);
alter table idempotency_keys alter column answer set storage external;
