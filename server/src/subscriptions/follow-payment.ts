/** Monthly fees follow what pays them. One whose debit failed or came back stays owed. */
import type { Actor } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'
import { type EntryKind, post, transferPostings } from '../ledger/index.ts'
import type { PaymentRow } from '../payments/index.ts'
import { cancelRefund, isFeeRefund, refundTwicePaid, tellWaiting } from './refund-fees.ts'

const isFee = (payment: PaymentRow) =>
  payment.payment_type === 'SUBSCRIPTION' && payment.direction === 'IN'

/** The fee was collected; a transfer may pay several. Or what was paid twice has gone back. */
export async function settleFee(
  tx: Tx,
  { payment, value_on }: { payment: PaymentRow; value_on: Day },
  actor: Actor,
): Promise<void> {
  if (isFeeRefund(payment)) await book(tx, 'refund', payment, payment.id, value_on, -1n)
  if (!isFee(payment)) return
  await book(tx, 'subscription_fee_paid', payment, payment.id, value_on, 1n)
  await refundTwicePaid(tx, actor, payment, value_on)
}

/** The collected fee came back, or what was sent back of one that was paid twice. */
export async function returnFee(
  tx: Tx,
  fact: { payment: PaymentRow; back_id: string; value_on: Day; reason: string },
  actor: Actor,
): Promise<void> {
  const { payment, back_id, value_on } = fact
  if (isFeeRefund(payment)) {
    await book(tx, 'refund_returned', payment, back_id, value_on, 1n)
    await tellWaiting(tx, fact)
  }
  if (!isFee(payment)) return
  await book(tx, 'subscription_fee_returned', payment, back_id, value_on, -1n)
  await cancelRefund(tx, actor, payment)
}

async function book(
  tx: Tx,
  kind: EntryKind,
  payment: PaymentRow,
  payment_id: string,
  value_on: Day,
  sign: bigint,
): Promise<void> {
  const owed = { code: 'subscription_receivable', owner_id: payment.borrower_id } as const
  const cash = { code: 'bank_cash', owner_id: null } as const
  const postings = transferPostings(cash, owed, sign * payment.amount)
  await post(tx, [{ kind, partner_id: payment.partner_id, payment_id, value_on, postings }])
}
