-- Indexes by which statements find a partner's rows begin with the partner, as keys do.
--
-- Foreign keys look rows up by the primary key, and on a nearly empty table PostgreSQL prefers a
-- newer index that costs the same. So an index of a table that others refer to has a condition,
-- even if every row meets it: a lookup by the primary key does not imply it.

-- Events.
drop index events_credit_line, events_counterparty, events_product, events_installment;
create index events_credit_line on events (partner_id, resource_id, id)
  where type like 'CreditLi%';
create index events_counterparty on events (partner_id, resource_id, id)
  where type like 'CounterpartyCreditLimit%';
create index events_product on events (partner_id, resource_id, id)
  where type like 'BorrowerFinancialProduct%';
create index events_installment on events (partner_id, resource_id, id)
  where type like 'Installment.%';

-- Borrowers and their credit lines.
alter table borrower_accounts drop constraint borrower_accounts_borrower_id_account_number_key,
  add unique (partner_id, borrower_id, account_number);
drop index borrowers_blocked, wallets_borrower, mandates_borrower, repayment_methods_borrower,
  repayment_methods_main, credit_lines_in_credit;
create index borrowers_blocked on borrowers (partner_id, id) where status = 'BLOCKED';
create index wallets_borrower on wallets (partner_id, borrower_id, id)
  where borrower_id is not null;
create index mandates_borrower on mandates (partner_id, borrower_id) where borrower_id is not null;
create index repayment_methods_borrower on repayment_methods (partner_id, borrower_id, id);
create unique index repayment_methods_main on repayment_methods (partner_id, borrower_id)
  where is_main;
alter table borrower_products drop constraint borrower_products_borrower_id_product_id_key;
create unique index borrower_products_once on borrower_products
  (partner_id, borrower_id, product_id) where borrower_id is not null;
alter table credit_lines drop constraint credit_lines_borrower_id_key;
create unique index credit_lines_borrower on credit_lines (partner_id, borrower_id)
  where borrower_id is not null;
create index credit_lines_in_credit on credit_lines (partner_id, id) where card_spent < 0;
drop index onboardings_borrower;
create index onboardings_borrower on onboardings (partner_id, borrower_id)
  where status = 'CREATED';

-- Payments.
drop index payments_loan, payments_bill, payments_charged_back, payments_terms,
  payments_installment, payments_debits, payments_canceled_fees, payment_names_named;
create index payments_loan on payments (partner_id, loan_id) where loan_id is not null;
create index payments_bill on payments (partner_id, bill_id) where bill_id is not null;
create unique index payments_charged_back on payments (partner_id, charged_back_payment_id)
  where charged_back_payment_id is not null;
create index payments_terms on payments (partner_id, terms_id) where terms_id is not null;
create index payments_installment on payments (partner_id, installment_id)
  where installment_id is not null;
create index payments_debits on payments (partner_id, loan_id)
  where direction = 'IN' and payment_method <> 'SCT';
create index payments_canceled_fees on payments (partner_id, id)
  where payment_type = 'SUBSCRIPTION' and status = 'CANCELED';
create index payment_names_named on payment_names (partner_id, named_id);

-- Loans.
drop index loans_borrower, loans_undecided, loans_in_plans, loans_unbilled, loans_unrecovered,
  loans_due, loans_due_in_plans, loans_revocable, loans_outdated,
  loan_movements_loan, loan_movements_payment, loan_movements_card, loan_movements_credit;
create index loans_borrower on loans (partner_id, borrower_id, id) where borrower_id is not null;
create index loans_undecided on loans (partner_id, borrower_id) include (reserved)
  where status in ('SUBMITTED', 'PENDING_VALIDATION', 'TO_VALIDATE');
create index loans_in_plans on loans (partner_id, installment_plan_id)
  where installment_plan_id is not null;
create index loans_unbilled on loans (partner_id, borrower_id)
  where unbilled or status in ('TO_REPAY', 'TO_REPAY_FEES');
create index loans_unrecovered on loans (partner_id, borrower_id) where unrecovered;
-- The nightly review pages through the borrowers of overdue loans. loans_due finds the loans due on
-- one day.
create index loans_overdue on loans (partner_id, borrower_id, due_on) where status = 'TO_REPAY';
create index loans_due on loans (due_on) where status = 'TO_REPAY';
create index loans_due_in_plans on loans (partner_id, borrower_id, plan_due_on)
  where plan_due_on is not null;
create index loans_revocable on loans (partner_id, id)
  where reserved > 0 and paid_out_on is not null;
create index loans_outdated on loans (partner_id, id) where fold_outdated;
create index loan_movements_loan on loan_movements (partner_id, loan_id);
create index loan_movements_payment on loan_movements (partner_id, payment_id)
  where payment_id is not null;
create index loan_movements_card on loan_movements (partner_id, card_entry_id)
  where card_entry_id is not null;
create index loan_movements_credit on loan_movements (partner_id, credit_bill_id)
  where credit_bill_id is not null;

-- Bills.
drop index bills_due, bills_to_send, bills_once, bills_in_plans, bill_lines_loan;
create index bills_due on bills (partner_id, borrower_id, due_on)
  where borrower_id is not null and status = 'TO_PAY';
create index bills_to_send on bills (partner_id, id) where status = 'GENERATED';
create unique index bills_once on bills (partner_id, payer_id, period_from)
  where status <> 'INVALID';
create index bills_in_plans on bills (partner_id, installment_plan_id)
  where installment_plan_id is not null;
create index bill_lines_loan on bill_lines (partner_id, loan_id);

-- Collections.
drop index recollection_cases_borrower, installment_plans_live, installment_plans_case,
  installment_parts_installment, installment_parts_loan, installment_parts_bill,
  installment_shares_part;
create index recollection_cases_borrower on recollection_cases (partner_id, borrower_id)
  where borrower_id is not null;
create index installment_plans_live on installment_plans (partner_id, id)
  where status in ('SCHEDULED', 'ACTIVE');
create index installment_plans_case on installment_plans (partner_id, case_id)
  where case_id is not null;
alter table plan_installments drop constraint plan_installments_plan_id_position_key;
create unique index plan_installments_position on plan_installments (partner_id, plan_id, position)
  where plan_id is not null;
create index installment_parts_installment on installment_parts (partner_id, installment_id)
  where installment_id is not null;
create index installment_parts_loan on installment_parts (partner_id, loan_id)
  where loan_id is not null;
create index installment_parts_bill on installment_parts (partner_id, bill_id)
  where bill_id is not null;
create index installment_shares_part on installment_shares (partner_id, part_id);

-- Subscriptions.
drop index subscriptions_borrower, subscriptions_active, subscription_fees_unplanned,
  subscription_fees_payment, fee_payments_fee;
alter table subscriptions drop constraint subscriptions_borrower_product_id_key;
alter table subscription_fees drop constraint subscription_fees_subscription_id_month_key;
create index subscriptions_borrower on subscriptions (partner_id, borrower_id)
  where borrower_id is not null;
create index subscriptions_active on subscriptions (partner_id, id) where status = 'ACTIVE';
create unique index subscriptions_product on subscriptions (partner_id, borrower_product_id)
  where borrower_product_id is not null;
create unique index subscription_fees_month on subscription_fees
  (partner_id, subscription_id, month) where subscription_id is not null;
create index subscription_fees_unplanned on subscription_fees (partner_id, id)
  where payment_id is null;
create index subscription_fees_payment on subscription_fees (partner_id, payment_id)
  where payment_id is not null;
create index fee_payments_fee on fee_payments (partner_id, fee_id);

-- Cards.
drop index cards_borrower, card_entries_card, card_entries_line, card_entries_unfinanced,
  card_entries_authorization, card_entries_loan;
create index cards_borrower on cards (partner_id, borrower_id, id) where borrower_id is not null;
create index card_entries_card on card_entries (partner_id, card_id, created_at desc)
  where card_id is not null;
create index card_entries_line on card_entries (partner_id, credit_line_id) where held > 0;
create index card_entries_unfinanced on card_entries (partner_id, credit_line_id, cleared_on)
  where status = 'completed' and loan_id is null;
create index card_entries_authorization on card_entries (partner_id, authorization_entry_id)
  where authorization_entry_id is not null;
create index card_entries_loan on card_entries (partner_id, loan_id) where loan_id is not null;

-- Webhooks. webhook_deliveries_unsent is not replaced: the plan of a list must fit any status, so
-- no plan used the index.
drop index webhook_deliveries_page, webhook_deliveries_unsent, webhook_deliveries_due,
  webhook_deliveries_leased, webhook_deliveries_order;
alter table webhook_deliveries drop constraint webhook_deliveries_webhook_id_event_id_key,
  add unique (partner_id, webhook_id, event_id);
create index webhook_deliveries_page on webhook_deliveries (partner_id, webhook_id, id);
create index webhook_deliveries_due on webhook_deliveries (partner_id, webhook_id, next_attempt_at)
  where status = 'PENDING' and next_attempt_at is not null;
create index webhook_deliveries_leased on webhook_deliveries (partner_id, webhook_id, leased_until)
  where leased_until is not null;
create index webhook_deliveries_order on webhook_deliveries
  (partner_id, webhook_id, ordering_key, position) where status = 'PENDING';

-- Decisions.
drop index decision_steps_order;
alter table decision_steps drop constraint decision_steps_decision_id_step_key,
  add unique (partner_id, decision_id, step);
create unique index decision_steps_order on decision_steps (partner_id, order_id)
  where order_id is not null;
