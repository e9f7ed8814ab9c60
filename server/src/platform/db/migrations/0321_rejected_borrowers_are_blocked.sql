-- A borrower whose KYB review was rejected is blocked with that reason; one that has not signed
-- says the reason. Those that were rejected before follow here, with their history.

with rejected as (
  select b.id, b.partner_id, b.status from borrowers b
  join compliance_checks c on c.borrower_id = b.id
  where c.status = 'REJECTED'
    and b.status in ('TO_SIGN', 'SIGNED', 'SDD_SETUP', 'ALL_PAYMENT_SETUP', 'READY')),
told as (
  insert into state_changes
    (id, partner_id, resource, resource_id, from_status, to_status, trigger, reason, actor, at)
  -- Ids are ordered by time: UUID version 7.
  select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
      || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid,
    partner_id, 'borrower', id, status, 'BLOCKED', 'block', 'BUSINESS_COMPLIANCE_ISSUE_DETECTED',
    'service', now() + make_interval(secs => coalesce(
      (select clock_offset_ms from deployment), 0)::double precision / 1000)
  from rejected where status <> 'TO_SIGN')
update borrowers b set status_reason = 'BUSINESS_COMPLIANCE_ISSUE_DETECTED',
  status = case r.status when 'TO_SIGN' then r.status else 'BLOCKED' end
from rejected r where b.id = r.id;
