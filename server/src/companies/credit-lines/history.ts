/**
 * What a line was at a moment. Whatever changes a line tells it, in the same commit, as it then
 * is: the last of these before the moment is the line of that moment. Nothing is written for it.
 */
import type { CreditLine } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'

interface Past {
  data: CreditLine
  /** Cents of its loans that were undecided then, whose decision changes no limit and no sum. */
  undecided: bigint
}

/** A partner's line as it was, or undefined when it was not there yet. */
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

/** Loans that were still to be decided, by the last step that each had taken. */
function undecidedAt(credit_line_id: string, at: Date) {
  return sql`
    select coalesce(sum(n.amount), 0)::bigint from loans n
    cross join lateral (select c.to_status from state_changes c
      where c.resource_id = n.id and c.at <= ${at} order by c.id desc limit 1) last
    where n.credit_line_id = ${credit_line_id} and n.submitted_at <= ${at}
      and last.to_status in ('SUBMITTED', 'PENDING_VALIDATION', 'TO_VALIDATE')`
}
