/**
 * The state of a line at a past time. Every change of a line emits an event with its new state in
 * the same commit, so the last event before that time shows it. No extra history is stored.
 */
import type { CreditLine } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'

interface Past {
  data: CreditLine
  /**
   * Cents of loans undecided at that time. Approving them emits no event of the line, because it
   * changes neither its limit nor its balances.
   */
  undecided: bigint
}

/** A partner's line as it was, or undefined if it did not exist yet. */
export async function creditLineAt(
  tx: Tx,
  partner_id: string,
  id: string,
  at: Date,
): Promise<CreditLine | undefined> {
  const past = await tx.maybe(sql<Past>`
    select s.data, (${undecidedAt(id, at)}) as undecided
    from (select snapshot_id from events
      where resource_id = ${id} and partner_id = ${partner_id} and type like 'CreditLi%'
        and at <= ${at}
      order by id desc limit 1) e
    join event_snapshots s on s.id = e.snapshot_id`)
  if (!past) return undefined
  const { balance_pending, balance_pending_validation } = past.data
  const pending = balance_pending + balance_pending_validation
  const undecided = Math.min(Number(past.undecided), pending)
  return {
    ...past.data,
    balance_pending: pending - undecided,
    balance_pending_validation: undecided,
  }
}

/** Loans undecided at that time, judged by the last transition of each. */
function undecidedAt(credit_line_id: string, at: Date) {
  return sql`
    select coalesce(sum(n.amount), 0)::bigint from loans n
    cross join lateral (select c.to_status from state_changes c
      where c.resource_id = n.id and c.at <= ${at} order by c.id desc limit 1) last
    where n.credit_line_id = ${credit_line_id} and n.submitted_at <= ${at}
      and last.to_status in ('SUBMITTED', 'PENDING_VALIDATION', 'TO_VALIDATE')`
}
