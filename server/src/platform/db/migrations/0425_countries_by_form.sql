-- Which countries are served is the contract's to say, in one list. Here a country is any code, so
-- that one more needs no migration.

alter table borrowers drop constraint borrowers_country_check;
alter table borrowers add constraint borrowers_country_check check (country ~ '^[A-Z]{2}$');

alter table partner_companies drop constraint partner_companies_country_check;
alter table partner_companies
  add constraint partner_companies_country_check check (country ~ '^[A-Z]{2}$');
