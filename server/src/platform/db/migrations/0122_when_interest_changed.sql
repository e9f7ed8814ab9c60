-- When what of a loan bears interest last changed, or its write-off, whatever the fact was: a bill
-- that was made before has to count it anew.
alter table loans add column interest_changed_at timestamptz;
update loans l set interest_changed_at = greatest(
  (select greatest(max(m.booked_at), max(m.voided_at)) from loan_movements m
    where m.loan_id = l.id),
  (select max(w.in_force_at) from write_offs w where w.loan_id = l.id),
  (select max(greatest(e.changed_at, s.created_at)) from recollection_case_loans o
    join recollection_interest_stops s on s.case_id = o.case_id
    left join lateral (select max(booked_at) as changed_at from ledger_entries
      where loan_id = l.id and kind = 'interest_stop') e on true
    where o.loan_id = l.id));
