-- The version of the interface in which a decision was proposed. It decides what the planned
-- requests mean, so they are executed in the same one. Earlier decisions did not record it: theirs
-- is the version of their proposer's latest key.
alter table decisions add version text;
update decisions d set version = coalesce((select k.version from keys k
  where k.partner_id = d.partner_id and k.caller_id = d.proposer_id
  order by k.created_at desc limit 1), '2026-07');
alter table decisions alter version set not null;
