-- Borrowers are keyed by their partner. Foreign keys look up the primary key, which is created
-- last, as in 0033_keys_of_fees_and_webhooks.sql.

alter table owner_documents drop constraint owner_documents_partner_id_borrower_id_fkey;
alter table compliance_checks drop constraint compliance_checks_partner_id_borrower_id_fkey;
alter table borrower_accounts drop constraint borrower_accounts_partner_id_borrower_id_fkey;
alter table wallets drop constraint wallets_partner_id_borrower_id_fkey;
alter table mandates drop constraint mandates_partner_id_borrower_id_fkey;
alter table documents drop constraint documents_partner_id_borrower_id_fkey;
alter table repayment_methods drop constraint repayment_methods_partner_id_borrower_id_fkey;
alter table borrower_products drop constraint borrower_products_partner_id_borrower_id_fkey;
alter table terms_acceptances drop constraint terms_acceptances_partner_id_borrower_id_fkey;
alter table credit_lines drop constraint credit_lines_partner_id_borrower_id_fkey;
alter table payments drop constraint payments_partner_id_borrower_id_fkey;
alter table loans drop constraint loans_partner_id_borrower_id_fkey;
alter table late_loans drop constraint late_loans_partner_id_borrower_id_fkey;
alter table bills drop constraint bills_partner_id_borrower_id_fkey;
alter table recollection_cases drop constraint recollection_cases_partner_id_borrower_id_fkey;
alter table installment_plans drop constraint installment_plans_partner_id_borrower_id_fkey;
alter table subscriptions drop constraint subscriptions_partner_id_borrower_id_fkey;
alter table cards drop constraint cards_partner_id_borrower_id_fkey;
alter table card_entries drop constraint card_entries_partner_id_borrower_id_fkey;
alter table onboardings drop constraint onboardings_partner_id_borrower_id_fkey;
alter table referrals drop constraint referrals_partner_id_borrower_id_fkey;
alter table borrowers drop constraint borrowers_pkey, drop constraint borrowers_partner_id_id_key,
  add primary key (partner_id, id);
alter table owner_documents add foreign key (partner_id, borrower_id) references borrowers;
alter table compliance_checks add foreign key (partner_id, borrower_id) references borrowers;
alter table borrower_accounts add foreign key (partner_id, borrower_id) references borrowers;
alter table wallets add foreign key (partner_id, borrower_id) references borrowers;
alter table mandates add foreign key (partner_id, borrower_id) references borrowers;
alter table documents add foreign key (partner_id, borrower_id) references borrowers;
alter table repayment_methods add foreign key (partner_id, borrower_id) references borrowers;
alter table borrower_products add foreign key (partner_id, borrower_id) references borrowers;
alter table terms_acceptances add foreign key (partner_id, borrower_id) references borrowers;
alter table credit_lines add foreign key (partner_id, borrower_id) references borrowers;
alter table payments add foreign key (partner_id, borrower_id) references borrowers;
alter table loans add foreign key (partner_id, borrower_id) references borrowers;
alter table late_loans add foreign key (partner_id, borrower_id) references borrowers;
alter table bills add foreign key (partner_id, borrower_id) references borrowers;
alter table recollection_cases add foreign key (partner_id, borrower_id) references borrowers;
alter table installment_plans add foreign key (partner_id, borrower_id) references borrowers;
alter table subscriptions add foreign key (partner_id, borrower_id) references borrowers;
alter table cards add foreign key (partner_id, borrower_id) references borrowers;
alter table card_entries add foreign key (partner_id, borrower_id) references borrowers;
alter table onboardings add foreign key (partner_id, borrower_id) references borrowers;
alter table referrals add foreign key (partner_id, borrower_id) references borrowers;

-- The jobs of borrowers name their partner.
update jobs j set data = j.data || jsonb_build_object('partner_id', b.partner_id)
from borrowers b where j.name = 'review_lateness' and b.id = (j.data ->> 'borrower_id')::uuid;
