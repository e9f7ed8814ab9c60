/** Remembers planned payments as they stood before a transaction changed them. */
import type { Tx } from '../../platform/db/transaction.ts'
import type { PaymentRow } from './types.ts'

export type PlannedBefore = Pick<PaymentRow, 'id' | 'partner_id' | 'amount' | 'scheduled_on'>

const changedBy = new WeakMap<Tx, Map<string, PlannedBefore>>()

/**
 * Remembers payments that this transaction is about to change. Only the first call for a payment
 * counts.
 */
export function notePlanned(tx: Tx, payments: readonly PlannedBefore[]): void {
  const changed = changedBy.get(tx) ?? new Map<string, PlannedBefore>()
  changedBy.set(tx, changed)
  for (const payment of payments) if (!changed.has(payment.id)) changed.set(payment.id, payment)
}

/** The payments that this transaction has changed, by id. */
export function plannedBefore(tx: Tx): ReadonlyMap<string, PlannedBefore> {
  return changedBy.get(tx) ?? new Map()
}
