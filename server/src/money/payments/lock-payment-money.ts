/** Locks a payment with what its news may move, in the house's order. */
import { lockExposure } from '../../companies/credit-lines/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { lockPayments, readPayments } from './store.ts'
import type { PaymentRow } from './types.ts'

/** Its partner and its borrower's line come first, as by all who move money of its loans. */
export async function lockPaymentMoney(
  tx: Tx,
  payment_id: string,
): Promise<PaymentRow | undefined> {
  // Whose it is never changes, so that may be read before the locks.
  const [known] = await readPayments(tx, [payment_id])
  if (!known) return undefined
  await lockExposure(tx, [known.partner_id], known.borrower_id ? [known.borrower_id] : [])
  const [payment] = await lockPayments(tx, [payment_id])
  return payment
}
