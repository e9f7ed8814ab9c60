-- Whether a bill is unpaid for longer than its grace: the longest of those of the products whose
-- loans are on it. Only products that would still leave it time are looked for among its lines.
create function bill_in_arrears(b bills, on_day date) returns boolean language sql stable as $$
  select b.status = 'TO_PAY'
    and b.due_on <= on_day - (select min(bill_grace_days) from products)
    and not exists (select from products p
      where b.due_on > on_day - p.bill_grace_days and exists (select from bill_lines i
        join loans l on l.id = i.loan_id where i.bill_id = b.id and l.loan_type = p.product_type))
$$;
