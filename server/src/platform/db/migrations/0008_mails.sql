-- The mails that carried documents, or news alone.

create table mails (
  id uuid not null,
  partner_id uuid not null references partners,
  recipient text not null,
  subject text not null,
  body text not null,
  document_ids uuid[] not null,
  -- A bill counts as mailed once its mail was accepted, not when queued.
  bill_id uuid,
  created_at timestamptz not null,
  sent_at timestamptz,
  primary key (partner_id, id)
);
create index mails_of_bills on mails (partner_id, bill_id) where bill_id is not null;
