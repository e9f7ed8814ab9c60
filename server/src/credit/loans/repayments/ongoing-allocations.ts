/**
 * Marks payments that are being allocated to several debts. Booking a share plans refunds, but the
 * surplus so far may belong to the next debt, so it is offered to other debts only once all shares
 * are booked.
 */
import { perTransaction, type Tx } from '../../../platform/db/transaction.ts'

const ongoingIn = perTransaction(() => new Set<string>())

export function isBeingAllocated(tx: Tx, payment_id: string): boolean {
  return ongoingIn(tx).has(payment_id)
}

/** Runs `share`. Until it ends, the payment's surplus is not offered to other debts. */
export async function whileAllocating<T>(
  tx: Tx,
  payment_id: string,
  share: () => Promise<T>,
): Promise<T> {
  const shared = ongoingIn(tx)
  if (shared.has(payment_id)) return share()
  shared.add(payment_id)
  try {
    return await share()
  } finally {
    shared.delete(payment_id)
  }
}
