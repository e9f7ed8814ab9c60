-- The daily run plans the debits of fees anew that were canceled: few among all payments ever made.
create index payments_canceled_fees on payments (id)
  where payment_type = 'SUBSCRIPTION' and status = 'CANCELED';
