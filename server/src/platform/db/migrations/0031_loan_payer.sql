-- Who pays a loan's fees, its borrower or its partner: `payerOf` in credit/loans/payer.ts.
alter table loans add column payer_id uuid;
update loans set payer_id = case fees_payer when 'PARTNER' then partner_id else borrower_id end;
alter table loans alter column payer_id set not null;
