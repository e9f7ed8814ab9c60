-- A partner that sends bills itself owes its own from their due date, sent or not.
drop index bills_of_partners;
create index bills_of_partners on bills (partner_id, due_on)
  where borrower_id is null and status in ('VALIDATED', 'TO_PAY');
