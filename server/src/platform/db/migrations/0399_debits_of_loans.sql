-- Whether a loan was ever debited is asked of every loan that is due, and of most the answer is no.
create index payments_debits on payments (loan_id)
  where direction = 'IN' and payment_method <> 'SCT';
