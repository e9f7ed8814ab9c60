-- Orders of one card go to the processor one after the other, in the order they were taken.

alter table card_orders
  -- `read_status` asks how the card stands, after the processor told that somebody changed it.
  add column kind text check (kind in ('issue', 'set_status', 'read_status')),
  add column position integer,
  -- The card as it was ordered, so that the same order asks for the same again; then forgotten.
  add column to_issue jsonb,
  -- The Idempotency-Key of the request for it, so that a repeat does not come after later wishes.
  add column request_key text,
  -- Whoever asks the processor has its turn until then, in real time; dead ones leave it behind.
  add column asked_until timestamptz;

update card_orders set kind = case when wanted_status is null then 'issue' else 'set_status' end,
  position = n.position
from (select id, row_number() over (partition by card_id order by created_at, id) as position
  from card_orders) n
where n.id = card_orders.id;

-- Orders to issue that have no answer yet ask for what they asked for before.
update card_orders o set to_issue = jsonb_build_object('card_id', c.id, 'partner_id', c.partner_id,
  'constraints', c.constraints, 'holder', jsonb_build_object('first_name', c.first_name,
    'last_name', c.last_name, 'email', b.business_email, 'phone_number', null, 'birth_date', null,
    'company_name', b.name, 'address', jsonb_build_object('line1', b.address->'address_line_1',
      'line2', b.address->'address_line_2', 'city', b.address->'city',
      'postal_code', b.address->'postal_code', 'country', b.country)))
from cards c join borrowers b on b.id = c.borrower_id
where c.id = o.card_id and o.kind = 'issue' and o.answered_at is null;

alter table card_orders
  alter column kind set not null,
  alter column position set not null,
  add constraint card_orders_wish check ((kind = 'set_status') = (wanted_status is not null)),
  add constraint card_orders_place unique (card_id, position);
drop index card_orders_open;
create index card_orders_open on card_orders (card_id, position) where answered_at is null;
create index card_orders_request on card_orders (partner_id, request_key)
  where request_key is not null;
