-- The sandbox bank knows by which scheme it collects: how long money may come back depends on it.
alter table sandbox_bank_instructions add column scheme text check (scheme in ('CORE', 'B2B'));

update sandbox_bank_instructions i set scheme = coalesce((select m.scheme
  from payments p join mandates m on m.id = p.mandate_id where p.id = i.payment_id), 'CORE')
where i.kind = 'SDD';

-- Money of the very day of a write-off repays when it was booked before that, and recovers after.
alter table loan_movements add column after_write_off boolean not null default false;
