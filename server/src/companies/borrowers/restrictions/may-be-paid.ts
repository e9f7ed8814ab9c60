/** Decides whether a loan may be paid out to a borrower. */
import { type RawBuilder, sql } from 'kysely'
import type { Day } from '../../../platform/kit/dates.ts'

/**
 * SQL condition: the borrower of a row of `table` is neither blocked nor prohibited, and its KYB
 * review is approved, beyond `today`. All of it can change after a loan has been approved.
 */
export function mayBePaid(table: 'loans' | 'payments', today: Day): RawBuilder<boolean> {
  const [partner, borrower] = [sql.ref(`${table}.partner_id`), sql.ref(`${table}.borrower_id`)]
  return sql`exists (select from borrowers b
    join compliance_checks c on c.partner_id = b.partner_id and c.borrower_id = b.id
    where b.partner_id = ${partner} and b.id = ${borrower}
      and b.status not in ('BLOCKED', 'PROHIBITED') and c.status = 'APPROVED'
      and coalesce(c.approved_until > ${today}, true))`
}
