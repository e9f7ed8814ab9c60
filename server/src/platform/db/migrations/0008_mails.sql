-- The mails that carried documents, or news alone.

create table mails (
  id uuid primary key,
  partner_id uuid references partners,
  recipient text not null,
  subject text not null,
  body text not null,
  document_ids uuid[] not null,
  -- A bill counts as mailed once its mail was accepted, not when queued.
  bill_id uuid,
  created_at timestamptz not null,
  sent_at timestamptz
);
create index mails_recipient on mails (recipient, id);
create index mails_unsent on mails (id) where sent_at is null;
create index mails_of_bills on mails (bill_id) where bill_id is not null;
