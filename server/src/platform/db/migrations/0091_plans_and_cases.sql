-- Plans by debit of a wallet; cases that repayment closed are told apart from those closed by hand.

alter table installment_plans drop constraint installment_plans_repayment_method_check,
  add constraint installment_plans_repayment_method_check
    check (repayment_method in ('DIRECT_DEBIT', 'SCT', 'P2P'));

-- It is open again when the money comes back.
alter table recollection_cases add column is_settled boolean not null default false;
update recollection_cases set is_settled = true where status = 'CLOSED'
  and close_reason in ('Everything is repaid.', 'What was not repaid is written off.');
