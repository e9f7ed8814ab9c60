-- Credit notes: a series of numbers of their own, and what they move without any payment.

create sequence credit_note_numbers;

-- The bill that credits: a CREDIT takes what was paid off its loan, and what is set off pays bills.
alter table loan_movements
  add column credit_bill_id uuid references bills,
  drop constraint loan_movements_kind_check,
  add constraint loan_movements_kind_check
    check (kind in ('PAYOUT', 'REPAYMENT', 'BILL_PAYMENT', 'EXTRA', 'CREDIT')),
  drop constraint loan_movements_cause,
  add constraint loan_movements_cause check (payment_id is not null or card_entry_id is not null
    or credit_bill_id is not null or kind = 'PAYOUT'),
  add constraint loan_movements_credited
    check (kind <> 'CREDIT' or credit_bill_id is not null);
create index loan_movements_credit on loan_movements (credit_bill_id)
  where credit_bill_id is not null;
