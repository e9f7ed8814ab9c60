-- What waits is found beside all that does not: borrowers by their status or that of their KYB
-- check, actions of recollection by the day on which they are to be done.
create index borrowers_status on borrowers (partner_id, status, id);
create index compliance_checks_status on compliance_checks (status, borrower_id);
create index recollection_actions_due on recollection_actions (due_on) where status = 'SCHEDULED';
