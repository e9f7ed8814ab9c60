-- A refund that did not arrive, or came back, tells so itself as long as its money waits for a
-- person to send it again; the alert follows it.
update payments p set reason = a.detail
from (select distinct on (subject_id) subject_id, detail from alerts
  where kind = 'refund_waiting' order by subject_id, id desc) a
where a.subject_id = p.id and p.payment_type = 'REFUND' and p.loan_id is not null
  and p.sent_again_at is null;
