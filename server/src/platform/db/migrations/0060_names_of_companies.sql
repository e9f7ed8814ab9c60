-- Lists find a company by its VAT number too, also where that does not hold its company number.
create index borrowers_vat_number on borrowers (partner_id, vat_number);
create index counterparties_vat_number on counterparties (partner_id, vat_number);
-- A counterparty that nothing but its name is known of is found by the name.
create index counterparties_identifier on counterparties (partner_id, identifier);
