-- Movements of loans are keyed by their partner, as the tables before them.
alter table loan_movements drop constraint loan_movements_pkey, add primary key (partner_id, id);
