/** Keeps canceled payments as they stood before the transaction that canceled them. */
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import type { PaymentRow } from './types.ts'

/** A planned payment before a transaction changed it. */
export type PlannedBefore = Pick<PaymentRow, 'id' | 'amount' | 'scheduled_on'>

/** The planned payments that each transaction has changed. */
const changedBy = new WeakMap<Tx, Map<string, PlannedBefore>>()

/** Notes planned payments that this transaction changes. */
export function notePlanned(tx: Tx, payments: readonly PlannedBefore[]): void {
  const changed = changedBy.get(tx) ?? new Map<string, PlannedBefore>()
  changedBy.set(tx, changed)
  for (const payment of payments) if (!changed.has(payment.id)) changed.set(payment.id, payment)
}

/**
 * Runs before each commit. One fact may lower a planned debit step by step, as money reaches the
 * lines of a bill, and then cancel it. What was canceled is what had been planned until then.
 */
export async function restoreCanceled(tx: Tx): Promise<void> {
  const changed = changedBy.get(tx)
  if (!changed) return
  const canceled = tx.pending.events.flatMap(({ type, resource_id }) =>
    type === 'Payment.CANCELED' ? (changed.get(resource_id) ?? []) : [],
  )
  if (canceled.length === 0) return
  await tx.run(sql`
    update payments p set amount = n.amount, scheduled_on = n.scheduled_on
    from unnest(${canceled.map(one => one.id)}::uuid[],
      ${canceled.map(one => one.amount)}::bigint[],
      ${canceled.map(one => one.scheduled_on)}::date[]) as n (id, amount, scheduled_on)
    where p.id = n.id and p.status = 'CANCELED'`)
}
