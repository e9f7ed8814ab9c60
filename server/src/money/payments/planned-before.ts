/** Keeps the amounts and dates that planned payments had before a transaction changed them. */
import { perTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { PaymentRow } from './types.ts'

export type PlannedBefore = Pick<PaymentRow, 'id' | 'partner_id' | 'amount' | 'scheduled_on'>

const changedBy = perTransaction(() => new Map<string, PlannedBefore>())

/** Only the first call for a payment in a transaction counts. */
export function notePlanned(tx: Tx, payments: readonly PlannedBefore[]): void {
  const changed = changedBy(tx)
  for (const payment of payments) if (!changed.has(payment.id)) changed.set(payment.id, payment)
}

export function plannedBefore(tx: Tx): ReadonlyMap<string, PlannedBefore> {
  return changedBy(tx)
}
