/** Locks a payment and the balances that its news may change, in the common lock order. */
import { lockExposure } from '../../companies/credit-lines/index.ts'
import { keysBy } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { findPayment, lockPayments } from './store.ts'
import type { PaymentRow } from './types.ts'

/** Locks the partner and the credit line before the payment. */
export async function lockPaymentMoney(
  tx: Tx,
  payment_id: string,
): Promise<PaymentRow | undefined> {
  // A payment's owner never changes, so it can be read before locking.
  const known = await findPayment(tx, payment_id)
  if (!known) return undefined
  await lockExposure(tx, [known.partner_id], keysBy([known], 'borrower_id'))
  const [payment] = await lockPayments(tx, [known])
  return payment
}
