-- Mails to send, with the documents attached to them.

create table mails (
  id uuid not null,
  partner_id uuid not null references partners,
  recipient text not null,
  subject text not null,
  body text not null,
  document_ids uuid[] not null,
  -- The bill that this mail delivers, if any. The bill counts as mailed once the mail server
  -- accepts the mail.
  bill_id uuid,
  created_at timestamptz not null,
  sent_at timestamptz,
  primary key (partner_id, id)
);
create index mails_of_bills on mails (partner_id, bill_id) where bill_id is not null;
