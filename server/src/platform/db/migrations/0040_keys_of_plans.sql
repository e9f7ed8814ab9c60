-- Installment plans, with their installments, parts and shares, are keyed by their partner. Foreign
-- keys look up the primary key, which is created last, as in 0033_keys_of_fees_and_webhooks.sql.

alter table plan_installments drop constraint plan_installments_partner_id_plan_id_fkey;
alter table installment_plans drop constraint installment_plans_pkey,
  drop constraint installment_plans_partner_id_id_key,
  add primary key (partner_id, id);

alter table installment_parts drop constraint installment_parts_partner_id_installment_id_fkey;
alter table payments drop constraint payments_partner_id_installment_id_fkey;
alter table plan_installments drop constraint plan_installments_pkey,
  drop constraint plan_installments_partner_id_id_key,
  add primary key (partner_id, id);
alter table plan_installments add foreign key (partner_id, plan_id) references installment_plans;
alter table payments add foreign key (partner_id, installment_id) references plan_installments;

alter table installment_shares drop constraint installment_shares_partner_id_part_id_fkey,
  drop constraint installment_shares_pkey,
  add primary key (partner_id, payment_id, part_id);
alter table installment_parts drop constraint installment_parts_pkey,
  drop constraint installment_parts_partner_id_id_key,
  add primary key (partner_id, id);
alter table installment_parts add foreign key (partner_id, installment_id)
  references plan_installments;
alter table installment_shares add foreign key (partner_id, part_id) references installment_parts;

-- The jobs of plans name their partner.
update jobs j set data = j.data || jsonb_build_object('partner_id', p.partner_id)
from installment_plans p
where j.name in ('start_installment_plan', 'write_plan_agreement', 'follow_overdue_plan')
  and p.id = (j.data ->> 'plan_id')::uuid;
