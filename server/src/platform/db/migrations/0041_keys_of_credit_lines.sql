-- Credit lines are keyed by their partner. Foreign keys look up the primary key, which is created
-- last, as in 0033_keys_of_fees_and_webhooks.sql.

alter table limit_overrides drop constraint limit_overrides_partner_id_credit_line_id_fkey;
alter table credit_assessments drop constraint credit_assessments_partner_id_credit_line_id_fkey;
alter table loans drop constraint loans_partner_id_credit_line_id_fkey;
alter table cards drop constraint cards_partner_id_credit_line_id_fkey;
alter table card_entries drop constraint card_entries_partner_id_credit_line_id_fkey;
alter table credit_lines drop constraint credit_lines_pkey,
  drop constraint credit_lines_partner_id_id_key,
  add primary key (partner_id, id);
alter table limit_overrides add foreign key (partner_id, credit_line_id) references credit_lines;
alter table credit_assessments add foreign key (partner_id, credit_line_id)
  references credit_lines;
alter table loans add foreign key (partner_id, credit_line_id) references credit_lines;
alter table cards add foreign key (partner_id, credit_line_id) references credit_lines;
alter table card_entries add foreign key (partner_id, credit_line_id) references credit_lines;

-- The job that assesses a line names its partner.
update jobs j set data = j.data || jsonb_build_object('partner_id', l.partner_id)
from credit_lines l
where j.name = 'assess_credit_line' and l.id = (j.data ->> 'credit_line_id')::uuid;
