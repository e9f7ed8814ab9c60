-- Lists of payments ordered by what one asks for: a page is read, not the whole list sorted.
create index payments_by_amount on payments (partner_id, amount, id);
create index payments_by_day on payments (partner_id, scheduled_on, id);
create index payments_by_method on payments (partner_id, payment_method, id);
