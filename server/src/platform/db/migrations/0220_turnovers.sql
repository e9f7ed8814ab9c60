-- What each kind of account was debited and credited with, by the days of its entries, up to the
-- last sealed one; the rest is added when asked. A trial balance sums these, not all postings.
create table ledger_turnovers (
  booked_on date not null,
  value_on date not null,
  -- The partner that the entries name, if they do.
  partner_id uuid,
  code text not null,
  debit bigint not null,
  credit bigint not null,
  unique nulls not distinct (booked_on, value_on, partner_id, code)
);
insert into ledger_turnovers (booked_on, value_on, partner_id, code, debit, credit)
select (e.booked_at at time zone 'Europe/Paris')::date, e.value_on, e.partner_id, a.code,
  sum(greatest(p.amount, 0)), sum(greatest(-p.amount, 0))
from ledger_seals s join ledger_entries e on e.id = s.entry_id
join ledger_postings p on p.entry_id = e.id
join ledger_accounts a on a.id = p.account_id
group by 1, 2, 3, 4;
