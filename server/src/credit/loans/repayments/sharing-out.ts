/**
 * Marks payments that are being allocated to several debts. Booking a share plans refunds, but the
 * surplus so far may belong to the next debt, so it is offered to other debts only once all shares
 * are booked.
 */
import type { Tx } from '../../../platform/db/transaction.ts'

const underWay = new WeakMap<Tx, Set<string>>()

export function isSharedOut(tx: Tx, payment_id: string): boolean {
  return underWay.get(tx)?.has(payment_id) ?? false
}

/** Runs `share`. Until it ends, the payment's surplus is not offered to other debts. */
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
