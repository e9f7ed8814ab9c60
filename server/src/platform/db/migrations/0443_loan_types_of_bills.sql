-- The products whose loans are on a bill, for their graces: which is the longest, and whether it is
-- over, is decided by dates.ts. The types of loans are in alphabetical order; verify compares.
alter table bills add column loan_types text[] not null default '{}';
update bills b set loan_types = n.loan_types
from (select i.bill_id, array_agg(distinct l.loan_type order by l.loan_type) as loan_types
  from bill_lines i join loans l on l.id = i.loan_id group by i.bill_id) n
where b.id = n.bill_id;
alter table bills alter column loan_types drop default;
drop function bill_in_arrears(bills, date);
