-- What a bill prints of a loan is stored with its line: a bill that was sent answers the same lines
-- for ever, whatever becomes known of the loan later (docs/decisions/0031).
alter table bill_lines
  add column printed jsonb not null default '[]',
  -- What of the line no money pays, because later bills take it back.
  add column credited bigint not null default 0;
-- False for bills from before: their lines were worked out when this migration ran.
alter table bills add column lines_recorded boolean not null default true;
update bills set lines_recorded = false;

with stretches as (
  select loan_id, principal, from_on,
    lead(from_on) over (partition by loan_id order by from_on) as until_on
  from loan_principal_steps),
components as (
  select i.bill_id, i.loan_id, b.period_from, b.period_to, c.*
  from bill_lines i join bills b on b.id = i.bill_id join loans l on l.id = i.loan_id
  cross join lateral (values (1, 'INTEREST', l.rate_ppm, i.amount - i.mark_up),
    (2, 'PARTNER_MARK_UP', l.mark_up_ppm, i.mark_up)) as c (rank, component, rate_ppm, amount)
  where c.amount <> 0),
stretch_lines as (
  select c.*, d.from_on, d.to_on, d.to_on - d.from_on + 1 as days, s.principal,
    interest_cents(s.principal::numeric * c.rate_ppm * (d.to_on - d.from_on + 1)) as cents
  from components c join stretches s on s.loan_id = c.loan_id and s.principal <> 0
  cross join lateral (select greatest(s.from_on, c.period_from) as from_on,
    least(coalesce(s.until_on - 1, c.period_to), c.period_to) as to_on) d
  where d.to_on >= d.from_on),
lines as (
  select bill_id, loan_id, rank, from_on as at, jsonb_build_object('kind', component,
    'component', component, 'from_on', from_on, 'to_on', to_on, 'days', days,
    'principal', principal, 'rate_ppm', rate_ppm, 'amount', cents) as line
  from stretch_lines
  union all
  -- A cent or two are rounding. What is more was a correction that said no more than its amount.
  select c.bill_id, c.loan_id, c.rank, null, jsonb_build_object('kind',
    case when abs(c.amount - n.cents) <= 3 then 'ROUNDING' else 'ADJUSTMENT' end,
    'component', c.component, 'days', 0, 'amount', c.amount - n.cents, 'reason', 'NOT_RECORDED')
  from components c cross join lateral (select coalesce(sum(s.cents), 0) as cents
    from stretch_lines s where s.bill_id = c.bill_id and s.loan_id = c.loan_id
      and s.component = c.component) n
  where c.amount <> n.cents)
update bill_lines i set printed = n.printed
from (select bill_id, loan_id, jsonb_agg(line order by rank, at nulls last) as printed
  from lines group by bill_id, loan_id) n
where i.bill_id = n.bill_id and i.loan_id = n.loan_id;

-- No money came for what later bills take back. Money first pays the bill it came for, then the
-- oldest line; what is left of a settled line was credited.
with lines as (
  select l.bill_id, l.loan_id, l.amount, l.paid - l.lapsed as settled, b.period_from,
    least(l.amount, (select coalesce(sum(m.interest), 0) from loan_movements m
      where m.loan_id = l.loan_id and m.bill_id = l.bill_id and m.kind = 'BILL_PAYMENT'
        and m.voided_at is null)) as own,
    (select coalesce(sum(m.interest), 0) from loan_movements m where m.loan_id = l.loan_id
      and m.kind <> 'CREDIT' and m.voided_at is null) as received
  from bill_lines l join bills b on b.id = l.bill_id and b.status <> 'INVALID'
  where l.amount > 0),
shared as (
  select *, received - sum(own) over (partition by loan_id) as free,
    sum(greatest(0, settled - own)) over (partition by loan_id order by period_from, bill_id
      rows between unbounded preceding and 1 preceding) as before
  from lines)
update bill_lines l set credited = n.credited
from (select bill_id, loan_id, greatest(0, settled - own)
    - least(greatest(0, settled - own), greatest(0, free - coalesce(before, 0))) as credited
  from shared) n
where l.bill_id = n.bill_id and l.loan_id = n.loan_id and n.credited > 0;

-- Nothing that a bill prints changes once it is validated, and it keeps its number.
create function bill_lines_refuse_changes() returns trigger language plpgsql as $$
begin
  if (select status from bills where id = old.bill_id) <> 'GENERATED' then
    raise exception 'bill % was issued: its lines stay as they are', old.bill_id
      using errcode = 'restrict_violation';
  end if;
  return coalesce(new, old);
end $$;
create trigger bill_lines_issued before update of amount, mark_up, printed or delete on bill_lines
  for each row execute function bill_lines_refuse_changes();
create function bills_refuse_other_numbers() returns trigger language plpgsql as $$
begin
  raise exception 'bill % keeps its number %', old.id, old.invoice_number
    using errcode = 'restrict_violation';
end $$;
create trigger bills_keep_numbers before update of invoice_number on bills
  for each row when (old.invoice_number is not null
    and new.invoice_number is distinct from old.invoice_number)
  execute function bills_refuse_other_numbers();
