-- A line is looked at once, when it is written: it stays with its bill and its loan.
create function bill_lines_refuse_moves() returns trigger language plpgsql as $$
begin
  raise exception 'a line stays with its bill and its loan' using errcode = 'restrict_violation';
end $$;
create trigger bill_lines_stay before update of bill_id, loan_id on bill_lines
  for each statement execute function bill_lines_refuse_moves();
