-- Loans whose movements a migration has changed, or what is kept of them: the next business day
-- folds and books them anew, and plans what follows.
alter table loans add column fold_outdated boolean not null default false;
create index loans_outdated on loans (id) where fold_outdated;

-- 0315 made movements of the refunds that had left, and folded nothing; refunds that came back left
-- what others had paid too much without a plan; and proposals to write off outlived their loans.
update loans l set fold_outdated = true
where l.reclaimed_known_on is not null or l.surplus <> l.surplus_refunded
  or exists (select from loan_movements m
    where m.loan_id = l.id and m.kind = 'REFUND' and m.voided_at is null)
  or l.status = 'CLOSED' and exists (select from write_offs w
    where w.loan_id = l.id and w.status = 'PROPOSED');
