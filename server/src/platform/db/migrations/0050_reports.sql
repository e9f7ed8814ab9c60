-- Reports: entries of a time are found by it, and what was agreed on a loan before is kept.

-- Both grow as rows are added, so a summary of each range of pages finds them at next to no cost.
create index ledger_entries_when on ledger_entries using brin (booked_at, value_on)
  with (pages_per_range = 32, autosummarize = on);

-- What a loan was to be repaid on and by, until something else was agreed.
create table loan_past_terms (
  id uuid primary key,
  partner_id uuid not null references partners,
  loan_id uuid not null references loans,
  to_repay_on date not null,
  repayment_method text not null,
  until timestamptz not null
);
create index loan_past_terms_until on loan_past_terms (until, loan_id);

-- Amendments say what they changed.
insert into loan_past_terms
select gen_random_uuid(), l.partner_id, l.id,
  coalesce(substring(c.reason from 'to_repay_at (\d{4}-\d{2}-\d{2}) →')::date, l.to_repay_on),
  coalesce(substring(c.reason from 'repayment_method (\w+) →'), l.repayment_method), c.at
from state_changes c join loans l on l.id = c.resource_id
where c.resource = 'loan' and c.trigger = 'amend'
  and c.reason ~ '(to_repay_at|repayment_method) ';

alter table loan_past_terms enable row level security;
alter table loan_past_terms force row level security;
create policy partner_wall on loan_past_terms
  using (may_see(partner_id)) with check (may_see(partner_id));
