-- What was asked for under the Idempotency-Key of a step that had to wait: the same key with other
-- content is a conflict. Null on steps from before.
alter table decision_steps add column request_hash text;
