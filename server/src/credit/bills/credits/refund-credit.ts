/** Books the outcomes of credit refunds at the bank. */
import { sql } from 'kysely'
import { cashOfPayment, type PaymentFor } from '../../../money/payments/index.ts'
import { clearAlert, raiseAlert } from '../../../platform/alerts/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { euros } from '../../../platform/kit/money.ts'
import { type BankCash, post, transferPostings } from '../../../platform/ledger/index.ts'
import { recordRefund } from '../store.ts'
import { remainingCredit } from './set-off-credits.ts'

/** Books a settled refund, which reduces the credit owed to the payer. */
export async function settleCreditRefund(
  tx: Tx,
  { payment, value_on }: { payment: PaymentFor<'credit_refund'>; value_on: Day },
): Promise<void> {
  const cash = cashOfPayment(payment)
  await book(tx, payment, { kind: 'credit_refund', payment_id: payment.id, value_on, cash }, 1n)
  const { partner_id, bill_id: id } = payment
  const left = await remainingCredit(tx, { partner_id, id })
  if (left === 0n) await clearAlert(tx, 'refund_waiting', id)
}

/** Books a returned refund: the payer is owed the credit again. */
export async function returnCreditRefund(
  tx: Tx,
  { payment, back_id: payment_id, value_on, reason, cash }: Returned,
): Promise<void> {
  await book(tx, payment, { kind: 'credit_refund_returned', payment_id, value_on, cash }, -1n)
  await followUnpaidRefund(tx, payment, reason)
}

interface Returned {
  readonly payment: PaymentFor<'credit_refund'>
  readonly back_id: string
  readonly value_on: Day
  readonly reason: string
  readonly cash: BankCash
}

/** Raises an alert for a refund that the bank did not pay. */
export async function failCreditRefund(
  tx: Tx,
  { payment, reason }: { payment: PaymentFor<'credit_refund'>; reason: string },
): Promise<void> {
  await followUnpaidRefund(tx, payment, reason)
}

interface Booking {
  readonly kind: 'credit_refund' | 'credit_refund_returned'
  readonly payment_id: string
  readonly value_on: Day
  readonly cash: BankCash
}

async function book(
  tx: Tx,
  { bill_id, partner_id, amount }: PaymentFor<'credit_refund'>,
  { cash, ...booking }: Booking,
  sign: 1n | -1n,
): Promise<void> {
  const { payer_id: owner_id } = await tx.one(sql<{ payer_id: string }>`
    select payer_id from bills where partner_id = ${partner_id} and id = ${bill_id}`)
  const payable = { code: 'credit_notes_payable' as const, owner_id }
  const postings = transferPostings(payable, cash, sign * amount)
  await post(tx, [{ ...booking, partner_id, bill_id, postings }])
}

/**
 * Raises an alert. The refund is not retried automatically: the credit pays an open bill, or an
 * operator refunds it again.
 */
async function followUnpaidRefund(
  tx: Tx,
  { bill_id, partner_id, amount }: PaymentFor<'credit_refund'>,
  reason: string,
): Promise<void> {
  recordRefund(tx, { partner_id, id: bill_id }, -amount)
  const left = await remainingCredit(tx, { partner_id, id: bill_id })
  await raiseAlert(tx, 'refund_waiting', bill_id, `${euros(left)} credited: ${reason}`)
}
