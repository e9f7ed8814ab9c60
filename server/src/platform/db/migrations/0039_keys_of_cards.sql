-- Cards, the orders about them and their entries are keyed by their partner. Foreign keys look up
-- the primary key, which is created last, as in 0033_keys_of_fees_and_webhooks.sql.

-- Cards.
alter table card_orders drop constraint card_orders_partner_id_card_id_fkey;
alter table card_entries drop constraint card_entries_partner_id_card_id_fkey;
alter table sandbox_cards drop constraint sandbox_cards_partner_id_card_id_fkey;
alter table cards drop constraint cards_pkey, drop constraint cards_partner_id_id_key,
  add primary key (partner_id, id);
alter table card_orders add foreign key (partner_id, card_id) references cards;
alter table card_entries add foreign key (partner_id, card_id) references cards;
alter table sandbox_cards add foreign key (partner_id, card_id) references cards;

-- Orders. The job that follows one names its partner.
alter table card_orders drop constraint card_orders_pkey, add primary key (partner_id, id);
update jobs j set data = j.data || jsonb_build_object('partner_id', o.partner_id)
from card_orders o where j.name = 'follow_card_order' and o.id = (j.data ->> 'order_id')::uuid;

-- Entries.
alter table loan_movements drop constraint loan_movements_partner_id_card_entry_id_fkey;
alter table card_entries drop constraint card_entries_partner_id_authorization_entry_id_fkey,
  drop constraint card_entries_pkey, drop constraint card_entries_partner_id_id_key,
  add primary key (partner_id, id);
alter table card_entries add foreign key (partner_id, authorization_entry_id)
  references card_entries;
alter table loan_movements add foreign key (partner_id, card_entry_id) references card_entries;
