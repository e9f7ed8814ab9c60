-- The late loans of a partner, in the order in which they are listed.
create index late_loans_partner on late_loans (partner_id, loan_id);
