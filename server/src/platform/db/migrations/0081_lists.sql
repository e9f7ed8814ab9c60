-- Lists: rows of one kind in the order of the list, however rare they are.
create index loans_type on loans (partner_id, loan_type, id);
create index loans_contractual on loans (partner_id, contractual_repayment_on, id);
create index loans_postponed on loans (partner_id, id)
  where to_repay_on > contractual_repayment_on;
create index payments_status on payments (partner_id, status, id);
create index payments_type on payments (partner_id, payment_type, id);
create index loan_log_type on loan_log (partner_id, event_type, id);
create index bills_status on bills (partner_id, status, id);
create index bills_payer on bills (partner_id, payer_id, id);
