-- The loan log tells what falls due, once a loan and day, however often that day runs.
alter table loan_log add column due_on date;
create unique index loan_log_due on loan_log (loan_id, event_type, due_on)
  where due_on is not null;
create index bills_falling_due on bills (due_on) where status = 'TO_PAY';
