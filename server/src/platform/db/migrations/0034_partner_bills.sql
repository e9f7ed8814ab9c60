-- A partner that sends bills itself owes the bills addressed to it from their due date, even if it
-- has not sent them.
drop index bills_of_partners;
create index bills_of_partners on bills (partner_id, due_on)
  where borrower_id is null and status in ('VALIDATED', 'TO_PAY');
