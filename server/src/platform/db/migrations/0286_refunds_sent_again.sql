-- A refund that failed or came back is sent again as a payment of its own, once.
alter table payments add column sent_again_at timestamptz;
