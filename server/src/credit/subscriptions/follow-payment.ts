/** Follows the payments of monthly fees. A fee whose debit failed or was returned stays owed. */
import { cashOfPayment, type PaymentFor, type PaymentRow } from '../../money/payments/index.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import {
  type BankCash,
  type EntryKind,
  post,
  transferPostings,
} from '../../platform/ledger/index.ts'
import { type FeePayment, lockFeeMoney, timesPaid } from './fee-money.ts'
import { alertUnsentFeeRefund, cancelRefund, refundedBy, refundTwicePaid } from './refund-fees.ts'
import { setPayments } from './store.ts'

/** Books a settled fee payment, possibly for several fees. */
export async function settleFee(
  tx: Tx,
  { payment, value_on }: { payment: PaymentFor<'fee_payment'>; value_on: Day },
): Promise<void> {
  await book(tx, 'subscription_fee_paid', payment, paid(payment, value_on), 1n)
  await assignPayers(tx, payment)
  await refundTwicePaid(tx, payment, value_on)
}

export async function settleFeeRefund(
  tx: Tx,
  { payment, value_on }: { payment: PaymentFor<'fee_refund'>; value_on: Day },
): Promise<void> {
  await book(tx, 'refund', payment, paid(payment, value_on), -1n)
  await assignPayers(tx, refundedBy(payment))
}

export async function returnFeeRefund(
  tx: Tx,
  fact: Returned & { payment: PaymentFor<'fee_refund'>; reason: string },
): Promise<void> {
  const { payment } = fact
  await book(tx, 'refund_returned', payment, returned(fact), 1n)
  await assignPayers(tx, refundedBy(payment))
  await alertUnsentFeeRefund(tx, fact)
}

/**
 * Books a returned fee payment. Fees that a returned transfer had paid are assigned to their debits
 * again.
 */
export async function returnFee(
  tx: Tx,
  fact: Returned & { payment: PaymentFor<'fee_payment'> },
): Promise<void> {
  const { payment } = fact
  await book(tx, 'subscription_fee_returned', payment, returned(fact), -1n)
  await cancelRefund(tx, payment)
  await assignPayers(tx, payment)
}

/** Locks the fees of a payment and determines again which payment pays each fee. */
async function assignPayers(tx: Tx, payment: RowKey): Promise<void> {
  const { partner_id } = payment
  const fees = await lockFeeMoney(tx, payment)
  const changed = fees.flatMap(payments => {
    const payer = payerOf(payments)
    const current = payments.find(one => one.current)
    return payer?.id === current?.id ? [] : [{ fee_id: payments[0]!.fee_id, payer }]
  })
  await setPayments(
    tx,
    changed.map(({ fee_id, payer }) => ({ partner_id, fee_id, payment_id: payer?.id ?? null })),
  )
  // A debit that pays its fee after all is not refunded.
  for (const { payer } of changed) if (payer) await cancelRefund(tx, { partner_id, id: payer.id })
}

/**
 * The payment that pays a fee. For an unpaid fee, it is the fee's debit, so that no other debit is
 * planned. Undefined if another can be planned, because the fee never had a debit or its debit was
 * refunded.
 */
function payerOf(payments: readonly FeePayment[]): FeePayment | undefined {
  if (timesPaid(payments) > 0) {
    const paying = payments.filter(one => one.stands && !one.refunded)
    return paying.find(one => one.current) ?? paying.at(-1)
  }
  const debit = payments.findLast(one => one.debit)
  return debit?.stands ? undefined : debit
}

interface Booking {
  readonly payment_id: string
  readonly value_on: Day
  readonly cash: BankCash
}

interface Returned {
  readonly back_id: string
  readonly value_on: Day
  readonly cash: BankCash
}

function paid(payment: PaymentRow, value_on: Day): Booking {
  return { payment_id: payment.id, value_on, cash: cashOfPayment(payment) }
}

function returned({ back_id: payment_id, value_on, cash }: Returned): Booking {
  return { payment_id, value_on, cash }
}

async function book(
  tx: Tx,
  kind: EntryKind,
  payment: PaymentRow,
  { cash, ...booking }: Booking,
  sign: bigint,
): Promise<void> {
  const owed = { code: 'subscription_receivable', owner_id: payment.borrower_id } as const
  const postings = transferPostings(cash, owed, sign * payment.amount)
  await post(tx, [{ kind, partner_id: payment.partner_id, ...booking, postings }])
}
