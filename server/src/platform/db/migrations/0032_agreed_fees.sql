-- The monthly fee agreed when a subscription was activated, in cents. A later price of the product
-- applies to later activations only.
alter table subscriptions add column monthly_fee bigint check (monthly_fee >= 0);
update subscriptions s set monthly_fee = p.monthly_fee
from borrower_products bp join products p on p.id = bp.product_id
where s.status = 'ACTIVE' and bp.partner_id = s.partner_id and bp.id = s.borrower_product_id;
alter table subscriptions add check (status <> 'ACTIVE' or monthly_fee is not null);
