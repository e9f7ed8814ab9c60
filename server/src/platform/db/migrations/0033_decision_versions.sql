-- The version of the interface in which a decision was proposed. It decides what the planned
-- requests mean, so they are executed in the same one. Earlier decisions did not record theirs: one
-- that is still open and was proposed in an older version has to be proposed again.
alter table decisions add version text;
update decisions set version = '2026-07';
alter table decisions alter version set not null;
