-- Who pays the fees of a product is computed when its terms are agreed on, and stored with them.
alter table products add column fees_payer text check (fees_payer in ('BORROWER', 'PARTNER'));
alter table partner_products
  add column fees_payer text check (fees_payer in ('BORROWER', 'PARTNER'));
update products set fees_payer = case
  when repayment_handled_by = 'PARTNER' or fees_mode = 'TRANSFERRED' then 'PARTNER'
  else 'BORROWER' end;
update partner_products set fees_payer = case
  when repayment_handled_by = 'PARTNER' or fees_mode = 'TRANSFERRED' then 'PARTNER'
  else 'BORROWER' end;
alter table products alter column fees_payer set not null;
alter table partner_products alter column fees_payer set not null;

-- What counts for a partner: its own terms of a product, or those of the product.
drop view product_terms;
create view product_terms with (security_invoker = true) as
  select a.id as partner_id, p.id as product_id,
    coalesce(s.fees_payer, p.fees_payer) as fees_payer, coalesce(s.mark_up_ppm, 0) as mark_up_ppm
  from partners a cross join products p
  left join partner_products s on s.partner_id = a.id and s.product_id = p.id;
