-- A loan without a payout is reopened by a refund that proves to be lent. Once no refund is lent
-- any more, it is again what it was before.
alter table loans add column reopened_from text
  check (reopened_from in ('ISSUE_DETECTED', 'CANCELED', 'DELETED'));

update loans l set reopened_from = coalesce((
  select c.from_status from state_changes c
  where c.resource = 'loan' and c.resource_id = l.id and c.trigger = 'reopen_principal'
    and c.from_status in ('ISSUE_DETECTED', 'CANCELED', 'DELETED')
  order by c.at desc, c.id desc limit 1), 'ISSUE_DETECTED')
where l.status in ('TO_REPAY', 'TO_REPAY_FEES', 'CLOSED') and not exists (
  select from loan_movements m
  where m.loan_id = l.id and m.kind = 'PAYOUT' and m.voided_at is null);

-- Until now it stayed open when that refund came back; and a refund that was lent while the loan
-- was to be paid again reopened nothing when that payout failed. The next business day mends both.
update loans set fold_outdated = true
where reopened_from is not null
  or refunds_reclaimed > 0 and status in ('ISSUE_DETECTED', 'CANCELED', 'DELETED');
