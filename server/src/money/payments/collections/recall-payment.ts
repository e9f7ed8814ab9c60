/** Recalls an instructed debit from the bank while that is still possible. */
import type { Context } from '../../../context.ts'
import { publishFact } from '../../../facts.ts'
import { clearAlert } from '../../../platform/alerts/index.ts'
import { move } from '../../../platform/db/move.ts'
import { transaction } from '../../../platform/db/transaction.ts'
import { lockPaymentMoney } from '../lock-payment-money.ts'
import { findPayment } from '../store.ts'
import type { PaymentRow } from '../types.ts'

const ALL = { partners: '*', actor: 'service' } as const

const isOpen = ({ status }: PaymentRow) => status === 'INSTRUCTED' || status === 'IN_TRANSIT'

/**
 * Recalls a debit, and cancels its payment if the bank confirms. A recall that comes too late is
 * not an error: a settlement above the debt becomes surplus. Throws if the outcome is unknown. Safe
 * to repeat.
 */
export async function recallPayment(context: Context, payment_id: string): Promise<void> {
  // Reading it first also fails if the lender has another bank by now, which does not know it.
  const isAtBank = await transaction(context.database, ALL, async tx => {
    const payment = await findPayment(tx, payment_id)
    return payment !== undefined && isOpen(payment)
  })
  if (!isAtBank) return
  const outcome = await context.ports.bank.recall(payment_id)
  if (outcome === 'unknown') throw new Error(`the bank did not answer the recall of ${payment_id}`)
  if (outcome === 'too_late') return
  await transaction(context.database, ALL, async tx => {
    const payment = await lockPaymentMoney(tx, payment_id)
    if (!payment || !isOpen(payment)) return
    await clearAlert(tx, 'order_conflict', payment.id)
    await move(tx, 'payment', [payment], 'cancel', 'recalled')
    await publishFact(tx, 'payment_canceled', {
      payment,
      reason: 'recalled',
      recalled: true,
    })
  })
}
