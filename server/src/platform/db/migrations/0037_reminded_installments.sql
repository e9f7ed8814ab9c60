-- The day on which a borrower was reminded of an installment of a plan that is not contractual.

alter table plan_installments add reminded_on date;
