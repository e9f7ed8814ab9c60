-- Who works in the back office names requests too: such a key is that person's, and no partner's.

alter table idempotency_keys drop constraint idempotency_keys_partner_id_fkey;
