/** Recalls an instructed debit from the bank while that is still possible. */
import type { Context } from '../../../context.ts'
import { publishFact } from '../../../facts.ts'
import { clearAlert } from '../../../platform/alerts/index.ts'
import { move } from '../../../platform/db/move.ts'
import { transaction } from '../../../platform/db/transaction.ts'
import { lockPaymentMoney } from '../lock-payment-money.ts'

/**
 * Recalls a debit, and cancels its payment if the bank confirms. A recall that comes too late is
 * not an error: a settlement above the debt becomes surplus. Throws if the outcome is unknown. Safe
 * to repeat.
 */
export async function recallPayment(context: Context, payment_id: string): Promise<void> {
  const outcome = await context.ports.bank.recall(payment_id)
  if (outcome === 'unknown') throw new Error(`the bank did not answer the recall of ${payment_id}`)
  if (outcome === 'too_late') return
  await transaction(context.database, { partners: '*', actor: 'service' }, async tx => {
    const payment = await lockPaymentMoney(tx, payment_id)
    if (payment?.status !== 'INSTRUCTED' && payment?.status !== 'IN_TRANSIT') return
    await clearAlert(tx, 'order_conflict', payment.id)
    await move(tx, 'payment', [payment], 'cancel', 'recalled')
    await publishFact(tx, 'payment_canceled', {
      payment,
      reason: 'recalled',
      recalled: true,
    })
  })
}
