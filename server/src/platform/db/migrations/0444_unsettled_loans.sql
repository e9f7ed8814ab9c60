-- Which loans the runs of shares and of lateness look at is computed by unsettled.ts; verify
-- recomputes it.
alter table loans
  alter column share_unsettled drop expression,
  add column unrecovered boolean not null default false;
alter table loans alter column share_unsettled set default false;
update loans set unrecovered = true where principal_written_off > principal_recovered
  or fees_payer <> 'PARTNER' and interest_written_off > interest_recovered;
drop index loans_written_off;
create index loans_unrecovered on loans (borrower_id) where unrecovered;
