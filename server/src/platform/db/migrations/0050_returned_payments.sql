-- When a settled payment was returned, stored with it: many conditions ask whether money stayed
-- where it was paid. `verify` compares it with the payment that took the money back.

alter table payments add returned_at timestamptz;
update payments p set returned_at = b.created_at from payments b
where b.partner_id = p.partner_id and b.charged_back_payment_id = p.id;
