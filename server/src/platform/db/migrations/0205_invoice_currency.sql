-- The currency that an invoice's document shows: EUR, GBP, OTHER; null where it shows none.
alter table invoices add column document_currency text
  check (document_currency in ('EUR', 'GBP', 'OTHER'));
