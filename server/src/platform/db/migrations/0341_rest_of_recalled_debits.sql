-- The debit that collects what is left of one that was recalled. Its payer expects a debit that
-- day, so the schemes' own notice of one TARGET day is enough for it.
alter table payments add column recalled_payment_id uuid references payments;
