-- The API version in which a decision was proposed. It determines what the planned requests mean,
-- so they are executed in that version. Earlier decisions did not record it: those that are still
-- open and were proposed in an older version have to be proposed again.
alter table decisions add version text;
update decisions set version = '2026-07';
alter table decisions alter version set not null;
