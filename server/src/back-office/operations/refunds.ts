/** Back office: sends failed or returned refunds again, and releases bills. */
import type { AdminHandlers } from '../../context.ts'
import { payCreditAgain, releaseBill } from '../../credit/bills/index.ts'
import { refundAgain } from '../../credit/loans/index.ts'
import { refundFeeAgain } from '../../credit/subscriptions/index.ts'
import { findPayment } from '../../money/payments/index.ts'
import { recordAudit } from '../../platform/access/index.ts'
import { clearAlert } from '../../platform/alerts/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'

export const refundWork: Pick<AdminHandlers, 'sendRefundAgain' | 'releaseBill'> = {
  sendRefundAgain: async (tx, { params, body }) => {
    await sendRefundAgain(tx, params.payment_id, body.reason)
    return null
  },

  releaseBill: async (tx, { params, body }) => {
    await releaseBill(tx, params.bill_id, body.reason)
    return null
  },
}

/**
 * Plans a new payment for the amount still owed. Throws `resource_unknown`, or `state_conflict` if
 * the refund may still arrive or was already replaced, or if nothing is owed.
 */
export async function sendRefundAgain(tx: Tx, id: string, reason: string): Promise<void> {
  const payment = await findPayment(tx, id)
  if (!payment) throw problem('resource_unknown', `There is no payment ${id}.`)
  // Each of these functions locks what the payment refunds (loan, bill or fee) before the payment.
  const { loan_id, bill_id, partner_id } = payment
  if (loan_id) await refundAgain(tx, { ...payment, loan_id })
  else if (bill_id) await payCreditAgain(tx, { ...payment, bill_id })
  else await refundFeeAgain(tx, payment)
  await clearAlert(tx, 'refund_waiting', id)
  const what = { resource: 'payment', resource_id: id, partner_id }
  await recordAudit(tx, { act: 'send_again', reason, ...what })
}
