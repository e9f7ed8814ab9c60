-- Recollection cases are keyed by their partner, with the loans and bills in them. Foreign keys
-- look up the primary key, which is created last, as in 0033_keys_of_fees_and_webhooks.sql.

alter table recollection_case_loans drop constraint recollection_case_loans_pkey,
  drop constraint recollection_case_loans_partner_id_case_id_fkey,
  add primary key (partner_id, case_id, loan_id);
alter table recollection_case_bills drop constraint recollection_case_bills_pkey,
  drop constraint recollection_case_bills_partner_id_case_id_fkey,
  add primary key (partner_id, case_id, bill_id);
alter table recollection_actions drop constraint recollection_actions_partner_id_case_id_fkey;
alter table recollection_interest_stops
  drop constraint recollection_interest_stops_partner_id_case_id_fkey;
alter table installment_plans drop constraint installment_plans_partner_id_case_id_fkey;
alter table recollection_cases drop constraint recollection_cases_pkey,
  drop constraint recollection_cases_partner_id_id_key,
  add primary key (partner_id, id);
alter table recollection_case_loans add foreign key (partner_id, case_id)
  references recollection_cases;
alter table recollection_case_bills add foreign key (partner_id, case_id)
  references recollection_cases;
alter table recollection_actions add foreign key (partner_id, case_id)
  references recollection_cases;
alter table recollection_interest_stops add foreign key (partner_id, case_id)
  references recollection_cases;
alter table installment_plans add foreign key (partner_id, case_id) references recollection_cases;
