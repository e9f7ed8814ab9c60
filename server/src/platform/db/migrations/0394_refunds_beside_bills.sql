-- What a refund sent back of interest no longer depends on what bills asked for afterwards. The
-- next business day folds loans with refunds anew.
update loans l set fold_outdated = true
where exists (select from loan_movements m
  where m.loan_id = l.id and m.kind = 'REFUND' and m.voided_at is null);
