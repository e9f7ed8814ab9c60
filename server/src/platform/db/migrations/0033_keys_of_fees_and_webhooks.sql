-- More tables are keyed by their partner (decision record 0048), with no index on the id alone. A
-- foreign key looks up the primary key. Of indexes that cost the same, as long as there is next to
-- nothing, plans take the newest, so the primary key is created last.

-- Snapshots of events.
alter table event_snapshots drop constraint event_snapshots_pkey, add primary key (partner_id, id);
create or replace view told_events with (security_invoker = true) as
  select e.id, e.partner_id, e.type, e.resource_id, e.at, s.data::jsonb || e.overlay as data
  from events e join event_snapshots s on s.partner_id = e.partner_id and s.id = e.snapshot_id;

-- Webhooks and their deliveries.
alter table webhook_deliveries drop constraint webhook_deliveries_pkey,
  drop constraint webhook_deliveries_partner_id_webhook_id_fkey,
  add primary key (partner_id, id);
alter table webhooks drop constraint webhooks_pkey, drop constraint webhooks_partner_id_id_key,
  add primary key (partner_id, id);
alter table webhook_deliveries add foreign key (partner_id, webhook_id) references webhooks;

-- Mandates and repayment methods.
alter table repayment_methods drop constraint repayment_methods_pkey,
  drop constraint repayment_methods_partner_id_mandate_id_fkey,
  add primary key (partner_id, id);
alter table payments drop constraint payments_partner_id_mandate_id_fkey;
alter table loans drop constraint loans_partner_id_mandate_id_fkey;
alter table mandates drop constraint mandates_pkey, drop constraint mandates_partner_id_id_key,
  add primary key (partner_id, id);
alter table repayment_methods add foreign key (partner_id, mandate_id) references mandates;
alter table payments add foreign key (partner_id, mandate_id) references mandates;
alter table loans add foreign key (partner_id, mandate_id) references mandates;
-- The job that ends a mandate names its partner.
update jobs j set data = j.data || jsonb_build_object('partner_id', m.partner_id)
from mandates m where j.name = 'end_mandate' and m.id = (j.data ->> 'mandate_id')::uuid;

-- Subscriptions, their fees, and what paid them.
alter table fee_payments drop constraint fee_payments_pkey,
  drop constraint fee_payments_partner_id_fee_id_fkey,
  drop constraint fee_payments_partner_id_subscription_id_fkey,
  add primary key (partner_id, payment_id, fee_id);
alter table subscription_fees drop constraint subscription_fees_pkey,
  drop constraint subscription_fees_partner_id_id_key,
  drop constraint subscription_fees_partner_id_subscription_id_fkey,
  add primary key (partner_id, id);
alter table subscriptions drop constraint subscriptions_pkey,
  drop constraint subscriptions_partner_id_id_key,
  add primary key (partner_id, id);
alter table subscription_fees add foreign key (partner_id, subscription_id)
  references subscriptions;
alter table fee_payments add foreign key (partner_id, fee_id) references subscription_fees,
  add foreign key (partner_id, subscription_id) references subscriptions;

-- Installments of loans.
alter table loan_installments drop constraint loan_installments_pkey,
  add primary key (partner_id, loan_id, position);

-- Cards of the sandbox's processor.
alter table sandbox_cards drop constraint sandbox_cards_pkey, add primary key (partner_id, card_id);
