-- An event that shows a resource as its last event did is not sent: found by the resource, as
-- already for credit lines.

create index events_counterparty on events (resource_id, id)
  where type like 'CounterpartyCreditLimit%';
create index events_product on events (resource_id, id)
  where type like 'BorrowerFinancialProduct%';
create index events_installment on events (resource_id, id) where type like 'Installment.%';
