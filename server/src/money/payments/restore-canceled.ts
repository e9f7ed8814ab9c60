/** Restores the amounts and dates that payments had before the transaction that canceled them. */
import type { Tx } from '../../platform/db/transaction.ts'
import { plannedBefore } from './planned-before.ts'
import { restorePlanned } from './store.ts'

/**
 * Restores the canceled payments before each commit. One fact may lower a planned debit step by
 * step, as money reaches the lines of a bill, and then cancel it. The canceled payment must show
 * what was planned before.
 */
export async function restoreCanceled(tx: Tx): Promise<void> {
  const changed = plannedBefore(tx)
  const canceled = tx.pending.events.flatMap(({ type, resource_id }) =>
    type === 'Payment.CANCELED' ? (changed.get(resource_id) ?? []) : [],
  )
  if (canceled.length > 0) await restorePlanned(tx, canceled)
}
