-- Money that went out and that nobody could place is given up for lost, by two people.

alter table suspense_items drop constraint suspense_items_status_check;
alter table suspense_items
  add constraint suspense_items_status_check check (status in ('OPEN', 'MATCHED', 'RETURNING',
    'SENT_BACK', 'DISMISSED', 'LOSS_PROPOSED', 'LOST')),
  add column loss_reason text,
  add column loss_proposed_by uuid references operators,
  add column loss_approved_by uuid references operators,
  add constraint suspense_items_four_eyes check (loss_approved_by <> loss_proposed_by),
  add constraint suspense_items_lost check (status <> 'LOST' or loss_approved_by is not null);
-- What is still held: read whenever payouts are to leave.
create index suspense_items_held on suspense_items (id)
  where status in ('OPEN', 'RETURNING', 'LOSS_PROPOSED');
