/** Decides whether a borrower's KYB holds, and whether a loan may be paid out to it. */
import type { ComplianceStatus } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Day } from '../../../platform/kit/dates.ts'

/**
 * SQL: the KYB status of a row of `compliance_checks` on a day. An approval that has ended counts
 * as REVIEWING even before the nightly run has opened the review, however late that runs.
 */
export function complianceOn(alias: string, today: Day): RawBuilder<ComplianceStatus> {
  const [status, until] = [sql.ref(`${alias}.status`), sql.ref(`${alias}.approved_until`)]
  return sql`case when ${status} = 'APPROVED' and ${until} <= ${today} then 'REVIEWING'
    else ${status} end`
}

/** SQL condition: the company of the borrower of a row of `payments` is on a list. */
export const IS_FROZEN = sql<boolean>`exists (select from compliance_checks c
  where c.partner_id = payments.partner_id and c.borrower_id = payments.borrower_id
    and c.frozen_at is not null)`

/**
 * SQL condition: the borrower of a row of `table` is neither blocked nor prohibited, and its KYB
 * review is approved on that day. All of it can change after a loan has been approved.
 */
export function mayBePaid(table: 'loans' | 'payments', today: Day): RawBuilder<boolean> {
  const [partner, borrower] = [sql.ref(`${table}.partner_id`), sql.ref(`${table}.borrower_id`)]
  return sql`exists (select from borrowers b
    join compliance_checks c on c.partner_id = b.partner_id and c.borrower_id = b.id
    where b.partner_id = ${partner} and b.id = ${borrower}
      and b.status not in ('BLOCKED', 'PROHIBITED') and ${complianceOn('c', today)} = 'APPROVED')`
}
