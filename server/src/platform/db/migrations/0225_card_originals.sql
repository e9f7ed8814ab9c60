-- Money that comes back to a card names its purchase in the processor's words, which may come
-- before anything of that purchase is known here.
alter table card_entries add column original_ref text;
update card_entries e set original_ref = d.transaction_ref
  from card_entries d where d.id = e.disputed_entry_id;
alter table card_entries drop column disputed_entry_id;
create index card_entries_original on card_entries (original_ref) where original_ref is not null;
