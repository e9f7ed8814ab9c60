/**
 * Refunds fees paid twice: a transfer arrived while their debits were at the bank, and the debits
 * settled.
 */
import { sql } from 'kysely'
import {
  type PaymentRow,
  readPayments,
  replaceRefund,
  schedulePayments,
} from '../../money/payments/index.ts'
import { clearAlert, raiseAlert } from '../../platform/alerts/index.ts'
import { move } from '../../platform/db/move.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import { addTargetDays, onOrAfterTargetDay } from '../../platform/kit/calendar.ts'
import { addDays, type Day, max } from '../../platform/kit/dates.ts'
import { euros } from '../../platform/kit/money.ts'
import { collectionAccount } from '../../platform/kit/payment-account.ts'
import { problem } from '../../platform/kit/problem.ts'
import { revocableOf } from '../loans/index.ts'
import { lockFeeMoney, timesPaid } from './fee-money.ts'

export function refundedBy({ partner_id, refunded_payment_id }: PaymentRow): RowKey {
  assert(refunded_payment_id, 'a refund of fees names its payment')
  return { partner_id, id: refunded_payment_id }
}

/**
 * Schedules a refund of the part of a debit whose fees another payment has paid meanwhile, for
 * after the debit's return window. The caller has locked the fees.
 */
export async function refundTwicePaid(tx: Tx, debit: PaymentRow, value_on: Day): Promise<void> {
  const { amount } = await tx.one(sql<{ amount: bigint }>`
    select coalesce(sum(n.amount), 0)::bigint as amount from fee_payments n
    join subscription_fees f on f.partner_id = n.partner_id and f.id = n.fee_id
    where n.partner_id = ${debit.partner_id} and n.payment_id = ${debit.id}
      and f.payment_id <> ${debit.id}`)
  if (amount === 0n) return
  const next = onOrAfterTargetDay(addDays(tx.today, 1))
  const revocable_until = await revocableOf(tx, debit, value_on)
  await schedulePayments(tx, [
    {
      partner_id: debit.partner_id,
      borrower_id: debit.borrower_id,
      payment_type: 'REFUND',
      payment_method: 'SCT',
      direction: 'OUT',
      amount,
      scheduled_on: revocable_until ? max(next, addTargetDays(revocable_until, 1)) : next,
      from_account: collectionAccount(tx.settings.lender),
      to_account: debit.from_account!,
      to_references: debit.to_references,
      refunded_payment_id: debit.id,
    },
  ])
}

/** Cancels the refund of a debit that was returned or pays its fee after all. */
export async function cancelRefund(tx: Tx, debit: RowKey): Promise<void> {
  const theirs = sql`partner_id = ${debit.partner_id} and refunded_payment_id = ${debit.id}`
  const planned = await tx.all(sql<PaymentRow>`
    select * from payments where ${theirs} and status = 'SCHEDULED'
    order by id for no key update`)
  await move(tx, 'payment', planned, 'cancel', 'nothing to refund')
  const refunds = await tx.all(sql<{ id: string }>`
    select id from payments where ${theirs} order by id`)
  await clearAlert(tx, 'refund_waiting', ...refunds.map(refund => refund.id))
}

/**
 * Plans a new refund after one has failed or been returned. Throws `state_conflict` if the earlier
 * refund may still arrive or was already replaced, or if the fees are no longer paid twice.
 */
export async function refundFeeAgain(tx: Tx, refund: PaymentRow): Promise<void> {
  const debit_id = refund.refunded_payment_id
  const fees = debit_id ? await lockFeeMoney(tx, refundedBy(refund)) : []
  await replaceRefund(tx, refund)
  if (!debit_id || !fees.some(payments => timesPaid(payments) > 1)) {
    throw problem('state_conflict', 'Nothing is left to refund: the fee is no longer paid twice.')
  }
  const [debit] = await readPayments(tx, [{ partner_id: refund.partner_id, id: debit_id }])
  await refundTwicePaid(tx, debit!, debit!.paid_on!)
}

/**
 * If fees are still paid twice, raises an alert: an operator has to send the refund again, or agree
 * with the borrower on another way.
 */
export async function alertUnsentFeeRefund(
  tx: Tx,
  { payment, reason }: { payment: PaymentRow; reason: string },
): Promise<void> {
  const fees = await lockFeeMoney(tx, refundedBy(payment))
  if (!fees.some(payments => timesPaid(payments) > 1)) return
  const what = `${euros(payment.amount)} of a fee that was paid twice: ${reason}`
  const why = `${what}. Send them again, or agree with the borrower how it gets them`
  await raiseAlert(tx, 'refund_waiting', payment.id, why)
}
