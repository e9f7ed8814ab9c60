-- Debits of loans in parts that owe less than their parts ask for were planned for all of them. The
-- next business day folds these loans anew, and plans what is owed.
update loans set fold_outdated = true
where status = 'TO_REPAY' and principal_covered <> principal_repaid;
