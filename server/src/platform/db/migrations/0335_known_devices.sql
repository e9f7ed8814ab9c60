-- A wrong password counts against the browser it came from where the person has signed in there
-- before, and against everyone else otherwise.
alter table sign_ins add column device text;
create index sign_ins_device on sign_ins (device, at) where device is not null;
