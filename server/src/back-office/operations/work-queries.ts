/** What needs attention, and since when; defined once for counts and lists. */

import type { Status, WORK_KINDS } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { companiesToCheck } from '../../companies/company-files/index.ts'
import { LENDER } from '../../platform/db/of-partner.ts'
import type { Day } from '../../platform/kit/dates.ts'

type Sql = RawBuilder<unknown>

/** SQL for the resources `w` of one kind that need attention. */
export interface WorkQuery {
  readonly from: Sql
  readonly where: Sql
  readonly since: Sql
}

/** When the resource `w`, which belongs to `partner`, last changed to `status`. */
const lastBecame = (status: Status<'suspense' | 'bill'>, partner: Sql): Sql => sql`(
  select max(s.at) from state_changes s
  where s.partner_id = ${partner} and s.resource_id = w.id and s.to_status = ${sql.lit(status)})`

/** Companies to be reviewed, and what operators propose and find about companies. */
const companyWork = (
  today: Day,
  are_reviewed: boolean,
): Record<'KYB_REVIEW' | 'COMPANY_CHECK', WorkQuery> => ({
  KYB_REVIEW: {
    from: sql`from compliance_checks w`,
    // Reviews in files are companies to check.
    where: are_reviewed ? sql`false` : sql`w.status = 'REVIEWING'`,
    since: sql`w.updated_at`,
  },
  COMPANY_CHECK: {
    from: sql`from (${companiesToCheck(today, are_reviewed)}) w`,
    where: sql`true`,
    since: sql`w.since`,
  },
})

/**
 * The queries by kind. They exclude bills that partners send themselves, because those wait for the
 * partner.
 */
export const workQueries = (
  today: Day,
  are_reviewed: boolean,
): Record<(typeof WORK_KINDS)[number], WorkQuery> => ({
  ...companyWork(today, are_reviewed),
  DECISION: {
    from: sql`from decisions w`,
    where: sql`w.status = 'PROPOSED'`,
    since: sql`w.created_at`,
  },
  INVOICE_REVIEW: {
    from: sql`from invoices w`,
    where: sql`w.status = 'SUBMITTED'`,
    since: sql`w.created_at`,
  },
  LIMIT_PROPOSED: {
    from: sql`from limit_overrides w`,
    where: sql`w.status = 'PROPOSED'`,
    since: sql`w.proposed_at`,
  },
  WRITE_OFF_PROPOSED: {
    from: sql`from write_offs w`,
    where: sql`w.status = 'PROPOSED'`,
    since: sql`w.proposed_at`,
  },
  SUSPENSE: {
    from: sql`from suspense_items w`,
    where: sql`w.status = 'OPEN'`,
    since: sql`w.created_at`,
  },
  LOSS_PROPOSED: {
    from: sql`from suspense_items w`,
    where: sql`w.status = 'LOSS_PROPOSED'`,
    since: lastBecame('LOSS_PROPOSED', LENDER),
  },
  PAYOUT_ISSUE: {
    from: sql`from loans w`,
    where: sql`w.status = 'ISSUE_DETECTED'`,
    since: sql`w.to_pay_on::timestamp at time zone 'Europe/Paris'`,
  },
  CASE_ACTION: {
    from: sql`from recollection_actions w
      join recollection_cases c on c.partner_id = w.partner_id and c.id = w.case_id`,
    where: sql`w.status = 'SCHEDULED' and w.due_on <= ${today} and c.status = 'OPEN'`,
    since: sql`w.due_on::timestamp at time zone 'Europe/Paris'`,
  },
  BILL_UNSENT: {
    from: sql`from bills w`,
    where: sql`w.status = 'VALIDATED' and w.borrower_id is not null
      and not exists (select from partner_companies p
        where p.partner_id = w.partner_id and p.sends_bills)`,
    since: lastBecame('VALIDATED', sql`w.partner_id`),
  },
  BORROWER_WITHOUT_EMAIL: {
    from: sql`from alerts w`,
    where: sql`w.kind = 'borrower_without_email' and w.cleared_at is null`,
    since: sql`w.raised_at`,
  },
  KILL_SWITCH: {
    from: sql`from kill_switches w`,
    where: sql`w.lifted_at is null`,
    since: sql`w.thrown_at`,
  },
  ALERT: {
    from: sql`from alerts w`,
    where: sql`w.cleared_at is null`,
    since: sql`w.raised_at`,
  },
})
