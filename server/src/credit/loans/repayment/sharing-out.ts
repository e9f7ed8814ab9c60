/**
 * Payments that are being shared out over several debts. Booking a share plans refunds, and what is
 * surplus in between may be what the next debt gets: it is offered once all shares are booked.
 */
import type { Tx } from '../../../platform/db/transaction.ts'

const underWay = new WeakMap<Tx, Set<string>>()

export function isSharedOut(tx: Tx, payment_id: string): boolean {
  return underWay.get(tx)?.has(payment_id) ?? false
}

/** Runs `share` while surplus of the payment is offered to nobody. */
export async function whileSharedOut<T>(
  tx: Tx,
  payment_id: string,
  share: () => Promise<T>,
): Promise<T> {
  const shared = underWay.get(tx) ?? new Set()
  if (shared.has(payment_id)) return share()
  underWay.set(tx, shared.add(payment_id))
  try {
    return await share()
  } finally {
    shared.delete(payment_id)
  }
}
