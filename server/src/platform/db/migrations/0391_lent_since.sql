-- Reminders, blocks and cases count from the day on which it became known that a refund is lent.
-- That day was kept of the loan, and written again whenever its payout or the refund was paid and
-- came back; it is a day of the refund.
alter table loan_movements add column lent_known_on date
  check (lent_known_on is null or kind = 'REFUND');

update loan_movements m
set lent_known_on = coalesce(l.reclaimed_known_on,
  (select (max(c.at) at time zone 'Europe/Paris')::date from state_changes c
    where c.resource = 'loan' and c.resource_id = l.id and c.trigger = 'reopen_principal'),
  (m.booked_at at time zone 'Europe/Paris')::date)
from loans l
where l.id = m.loan_id and m.kind = 'REFUND' and m.principal < 0 and m.voided_at is null;
