-- A day has its row as soon as a run of it fails: an alert is about it until it is finished.
alter table business_days add column id uuid;
update business_days set id = gen_random_uuid();
alter table business_days
  alter column id set not null,
  add unique (id),
  alter column finished_at drop not null,
  alter column finished_at drop default;
