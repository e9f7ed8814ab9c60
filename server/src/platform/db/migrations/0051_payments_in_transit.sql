-- A bank may tell that an order has left it and is on its way: the payment is in transit until it
-- arrives. The sandbox bank tells so of transfers that take a day.

alter table bank_news drop constraint bank_news_kind_check;
alter table bank_news add constraint bank_news_kind_check
  check (kind in ('IN_TRANSIT', 'SETTLED', 'REJECTED', 'CANCELED', 'RETURNED', 'REFUNDED',
    'REVERSED', 'TRANSFER_IN'));

-- The next thing that happens by itself, and its day: it leaves, then it arrives.
alter table sandbox_bank_instructions rename column settles_on to due_on;
alter table sandbox_bank_instructions
  drop constraint sandbox_bank_instructions_due_trigger_check,
  drop constraint sandbox_bank_instructions_state_check,
  add constraint sandbox_bank_instructions_due_trigger_check
    check (due_trigger in ('transmit', 'settle', 'reject', 'recall')),
  add constraint sandbox_bank_instructions_state_check
    check (state in ('PENDING', 'IN_TRANSIT', 'SETTLED', 'REJECTED', 'RETURNED', 'REFUNDED',
      'REVERSED', 'CANCELED'));
drop index sandbox_bank_instructions_due;
create index sandbox_bank_instructions_due on sandbox_bank_instructions (due_on)
  where state in ('PENDING', 'IN_TRANSIT');
