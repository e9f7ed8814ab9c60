/** What waits for a person, and the cash there is. */
import { type Today, WORK_KINDS } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { type Day, wireDay } from '../kit/dates.ts'
import { toWire } from '../kit/money.ts'
import { lenderBalance } from '../ledger/index.ts'

type Kind = (typeof WORK_KINDS)[number]

/** Where the things of each kind are, with the moment since when they wait as `since`. */
const waitingOn = (today: Day): Record<Kind, RawBuilder<unknown>> => ({
  KYB_REVIEW: sql`select updated_at as since from compliance_checks where status = 'REVIEWING'`,
  DECISION: sql`select created_at as since from decisions where status = 'PROPOSED'`,
  INVOICE_REVIEW: sql`select created_at as since from invoices where status = 'SUBMITTED'`,
  LIMIT_PROPOSED: sql`select proposed_at as since from limit_overrides where status = 'PROPOSED'`,
  WRITE_OFF_PROPOSED: sql`select proposed_at as since from write_offs where status = 'PROPOSED'`,
  SUSPENSE: sql`select created_at as since from suspense_items where status = 'OPEN'`,
  LOSS_PROPOSED: sql`select (select max(c.at) from state_changes c
      where c.resource_id = s.id and c.to_status = 'LOSS_PROPOSED') as since
    from suspense_items s where s.status = 'LOSS_PROPOSED'`,
  PAYOUT_ISSUE: sql`select to_pay_on::timestamp at time zone 'Europe/Paris' as since from loans
    where status = 'ISSUE_DETECTED'`,
  CASE_ACTION: sql`select a.due_on::timestamp at time zone 'Europe/Paris' as since
    from recollection_actions a join recollection_cases c on c.id = a.case_id
    where a.status = 'SCHEDULED' and a.due_on <= ${today} and c.status = 'OPEN'`,
  KILL_SWITCH: sql`select thrown_at as since from kill_switches where lifted_at is null`,
  ALERT: sql`select raised_at as since from alerts where cleared_at is null`,
})

/** Amounts in cents; the work by kind, only what waits. */
export async function readToday(tx: Tx): Promise<Today> {
  const waiting = waitingOn(tx.today)
  const kinds = WORK_KINDS.map(
    kind => sql`select ${kind}::text as kind, count(*)::int as waiting, min(since) as oldest_at
      from (${waiting[kind]}) as waits having count(*) > 0`,
  )
  const work = await tx.all(sql<{
    kind: Kind
    waiting: number
    oldest_at: Date
  }>`
    ${sql.join(kinds, sql` union all `)}`)
  const { funding } = await tx.one(sql<{ funding: bigint }>`
    select ${lenderBalance('bank_cash')}::bigint as funding`)
  return {
    business_date: wireDay(tx.today),
    work: work.map(({ oldest_at, ...row }) => ({ ...row, oldest_at: oldest_at.toISOString() })),
    funding: toWire(funding),
  }
}
