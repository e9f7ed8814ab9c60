-- Interest that a partner was to pay is no loss by its borrower, who may draw all the same.
drop index loans_written_off;
create index loans_written_off on loans (borrower_id)
  where principal_written_off > principal_recovered
    or fees_payer <> 'PARTNER' and interest_written_off > interest_recovered;
