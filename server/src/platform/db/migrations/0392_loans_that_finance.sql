-- A loan that was canceled or deleted finances no invoice, also where a refund that was lent has
-- reopened it: another loan may have been granted on that invoice meanwhile.
create function loan_finances(l loans) returns boolean language sql immutable as $$
  select l.status not in ('DECLINED', 'CANCELED', 'DELETED')
    and (l.reopened_from is null or l.reopened_from not in ('CANCELED', 'DELETED'))
$$;

create or replace function invoice_financed_elsewhere(partner uuid, key text, number text)
returns boolean
language plpgsql volatile as $$
declare
  walls text := current_setting('headroom.partners', true);
  taken boolean;
begin
  perform set_config('headroom.partners', '*', true);
  select exists (select from invoices i
    join counterparties c on c.id = i.seller_id
    join invoice_loans f on f.invoice_id = i.id
    join loans l on l.id = f.loan_id
    where upper(i.invoice_number) = upper(number) and c.company_key = key
      and i.partner_id <> partner and loan_finances(l))
    into taken;
  perform set_config('headroom.partners', walls, true);
  return taken;
end $$;
