-- What became of a mail. A mail server refuses a mail for good, for example because of a wrong
-- address; such a mail is never sent, and the alert about it names the borrower.

alter table mails
  -- The borrower that the mail is about, if any.
  add column borrower_id uuid,
  -- The revenue share that this mail reports, if any.
  add column revenue_share_id uuid,
  -- The Message-ID header; null if the mail was not sent by SMTP.
  add column message_id text,
  add column refused_at timestamptz,
  -- The mail server's answer.
  add column refused_because text,
  add check (sent_at is null or refused_at is null),
  add check ((refused_at is null) = (refused_because is null));

create index mails_refused on mails (partner_id, borrower_id) where refused_at is not null;
create index mails_of_shares on mails (partner_id, revenue_share_id)
  where revenue_share_id is not null;
