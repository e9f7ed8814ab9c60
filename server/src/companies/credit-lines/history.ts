/**
 * The state of a line at a past time, read from its events: each carries the line's new state, so
 * the last event before that time shows it. No extra history is stored.
 */
import type { CreditLine } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import { UNDECIDED } from './queries.ts'

interface PastState {
  data: CreditLine
  /**
   * Cents of loans approved since that event. An approval emits no event of the line, because it
   * changes neither its limit nor its balances.
   */
  approved: bigint
}

/** A partner's line at a past time, or undefined if it did not exist yet. */
export async function creditLineAt(
  tx: Tx,
  partner_id: string,
  id: string,
  at: Date,
): Promise<CreditLine | undefined> {
  const past = await tx.maybe(sql<PastState>`
    select s.data, (${approvedSince(partner_id, id, at)}) as approved
    from (select id, snapshot_id from events
      where resource_id = ${id} and partner_id = ${partner_id} and type like 'CreditLi%'
        and at <= ${at}
      order by id desc limit 1) e
    join event_snapshots s on s.partner_id = ${partner_id} and s.id = e.snapshot_id`)
  if (!past) return undefined
  const { balance_pending, balance_pending_validation } = past.data
  const approved = Math.min(Number(past.approved), balance_pending_validation)
  return {
    ...past.data,
    balance_pending: balance_pending + approved,
    balance_pending_validation: balance_pending_validation - approved,
  }
}

/**
 * Cents of loans approved after event `e` and no later than `at`. Uses the loans' current amounts,
 * because an approved loan keeps its amount, and changing an undecided one emits an event of the
 * line. The ids of events and status changes are assigned under the line's lock, so they are in
 * order as long as one process assigns them.
 */
function approvedSince(partner_id: string, credit_line_id: string, at: Date) {
  return sql`
    select coalesce(sum(n.amount), 0)::bigint from loans n
    where n.partner_id = ${partner_id} and n.credit_line_id = ${credit_line_id}
      and exists (select from state_changes c
      where c.partner_id = n.partner_id and c.resource_id = n.id and c.id > e.id
        and c.at <= ${at}
        and c.from_status in ${UNDECIDED} and c.to_status not in ${UNDECIDED})`
}
