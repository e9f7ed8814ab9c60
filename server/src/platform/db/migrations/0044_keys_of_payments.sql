-- Payments are keyed by their partner. Foreign keys look up the primary key, which is created last,
-- as in 0033_keys_of_fees_and_webhooks.sql.

alter table payments drop constraint payments_partner_id_charged_back_payment_id_fkey,
  drop constraint payments_partner_id_refunded_payment_id_fkey,
  drop constraint payments_partner_id_recalled_payment_id_fkey;
alter table payment_names drop constraint payment_names_partner_id_payment_id_fkey;
alter table loan_movements drop constraint loan_movements_partner_id_refunded_payment_id_fkey,
  drop constraint loan_movements_partner_id_payment_id_fkey;
alter table partner_shares drop constraint partner_shares_partner_id_payment_id_fkey;
alter table installment_shares drop constraint installment_shares_partner_id_payment_id_fkey;
alter table recollection_payouts drop constraint recollection_payouts_partner_id_payment_id_fkey;
alter table subscription_fees drop constraint subscription_fees_partner_id_payment_id_fkey;
alter table fee_payments drop constraint fee_payments_partner_id_payment_id_fkey;
alter table revenue_shares drop constraint revenue_shares_partner_id_payment_id_fkey;
-- Unmatched payments belong to the lender, so their references to payments of partners are checked
-- by `verify`.
alter table suspense_items drop constraint suspense_items_payment_id_fkey,
  drop constraint suspense_items_matched_payment_id_fkey;

alter table payments drop constraint payments_pkey, drop constraint payments_partner_id_id_key,
  add primary key (partner_id, id);
alter table payments add foreign key (partner_id, charged_back_payment_id) references payments,
  add foreign key (partner_id, refunded_payment_id) references payments,
  add foreign key (partner_id, recalled_payment_id) references payments;
alter table payment_names add foreign key (partner_id, payment_id) references payments;
alter table loan_movements add foreign key (partner_id, refunded_payment_id) references payments,
  add foreign key (partner_id, payment_id) references payments;
alter table partner_shares add foreign key (partner_id, payment_id) references payments;
alter table installment_shares add foreign key (partner_id, payment_id) references payments;
alter table recollection_payouts add foreign key (partner_id, payment_id) references payments;
alter table subscription_fees add foreign key (partner_id, payment_id) references payments;
alter table fee_payments add foreign key (partner_id, payment_id) references payments;
alter table revenue_shares add foreign key (partner_id, payment_id) references payments;

-- The job that sends a payment names its partner.
update jobs j set data = j.data || jsonb_build_object('partner_id', p.partner_id)
from payments p where j.name = 'submit_payment' and p.id = (j.data ->> 'payment_id')::uuid;
