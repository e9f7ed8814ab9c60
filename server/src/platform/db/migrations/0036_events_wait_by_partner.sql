-- Events are placed in the feed partners in turn (decision record 0053), so those that wait are
-- keyed by their partner.

alter table events_unplaced drop constraint events_unplaced_pkey,
  add primary key (partner_id, event_id);
