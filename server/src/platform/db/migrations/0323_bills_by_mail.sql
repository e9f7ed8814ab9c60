-- Which bill a mail carries: a bill counts as mailed once its mail was accepted, not when queued.
alter table mails add column bill_id uuid;
create index mails_of_bills on mails (bill_id) where bill_id is not null;
