-- How much JSON a decision holds, planned and answered: lists read no more of it than a page takes.
alter table decisions add column size_bytes integer not null default 0 check (size_bytes >= 0);

select set_config('headroom.partners', '*', true);
update decisions d set size_bytes = least(2147483647, (
  select coalesce(sum(octet_length(s.body::text)), 0)
    + coalesce(sum(octet_length(s.response_json::text)), 0)
  from decision_steps s where s.decision_id = d.id and s.partner_id = d.partner_id));
