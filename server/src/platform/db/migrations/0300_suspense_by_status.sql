-- What waits in suspense is read by status, oldest first, beside all that was seen to.
create index suspense_items_status on suspense_items (status, id);
drop index suspense_items_open;
