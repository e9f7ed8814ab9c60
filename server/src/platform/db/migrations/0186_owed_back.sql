-- What payouts may not use: money that is to be paid back or on already.
create index payments_owed_back on payments (id) include (amount)
  where direction = 'OUT' and status = 'SCHEDULED' and payment_type in ('REFUND', 'REVENUE_SHARE');
