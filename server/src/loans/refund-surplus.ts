/** Sends back what was paid beyond what was owed, to the account it came from. */
import { sql } from 'kysely'
import type { Actor } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { addTargetDays, onOrAfterTargetDay } from '../kit/calendar.ts'
import { addDays, type Day } from '../kit/dates.ts'
import { type PaymentRow, schedulePayments, setAmount } from '../payments/index.ts'
import { fundingAccount } from './accounts.ts'
import { lockLoanMoney, rebook } from './money.ts'
import { lockLoans, logLoanEvents } from './store.ts'

/** A debit's surplus leaves only when the debit can no longer come back. */
const DEBIT_REFUND_TARGET_DAYS = 6

/**
 * Plans the refund of a loan's surplus on the next banking day. Without a known account of the
 * payer the money stays refunds payable until a person looks.
 */
export async function planRefund(
  tx: Tx,
  actor: Actor,
  loan_id: string,
  payment: PaymentRow,
): Promise<void> {
  const [loan] = await lockLoans(tx, [loan_id])
  if (!loan || !payment.from_account) return
  const planned = await openRefunds(tx, loan_id)
  const committed = planned.reduce((sum, p) => sum + p.amount, 0n)
  const due = loan.surplus - loan.surplus_refunded - committed
  if (due <= 0n) return
  const [same] = planned.filter(
    p => p.status === 'SCHEDULED' && p.scheduled_on === refundDay(tx, payment),
  )
  if (same) return setAmount(tx, same.id, same.amount + due)
  await schedulePayments(tx, actor, [
    {
      partner_id: loan.partner_id,
      borrower_id: loan.borrower_id,
      payment_type: 'REFUND',
      payment_method: 'SCT',
      direction: 'OUT',
      amount: due,
      scheduled_on: refundDay(tx, payment),
      from_account: fundingAccount(tx.settings.lender),
      to_account: payment.from_account,
      to_references: [loan.repayment_reference],
      loan_id,
    },
  ])
}

function refundDay(tx: Tx, payment: PaymentRow): Day {
  return payment.payment_method === 'DIRECT_DEBIT'
    ? addTargetDays(tx.today, DEBIT_REFUND_TARGET_DAYS)
    : onOrAfterTargetDay(addDays(tx.today, 1))
}

async function openRefunds(tx: Tx, loan_id: string): Promise<PaymentRow[]> {
  return tx.all(sql<PaymentRow>`
    select * from payments where loan_id = ${loan_id} and payment_type = 'REFUND'
      and status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT')`)
}

/** A refund has left: the books owe it no longer. */
export async function settleRefund(
  tx: Tx,
  { payment, value_on }: { payment: PaymentRow; value_on: Day },
  actor: Actor,
): Promise<void> {
  if (payment.payment_type !== 'REFUND' || !payment.loan_id) return
  await bookRefund(tx, actor, payment, payment.id, value_on, payment.amount)
}

/** A refund came back: we owe it again. It is not principal and bears no interest. */
export async function returnRefund(
  tx: Tx,
  fact: { payment: PaymentRow; back_id: string; value_on: Day },
  actor: Actor,
): Promise<void> {
  if (fact.payment.payment_type !== 'REFUND' || !fact.payment.loan_id) return
  await bookRefund(tx, actor, fact.payment, fact.back_id, fact.value_on, -fact.payment.amount)
}

async function bookRefund(
  tx: Tx,
  actor: Actor,
  payment: PaymentRow,
  payment_id: string,
  value_on: Day,
  refunded: bigint,
): Promise<void> {
  const [loan] = await lockLoanMoney(tx, [payment.loan_id!])
  const kind = refunded > 0n ? 'refund' : 'refund_returned'
  await rebook(tx, actor, loan!, { kind, value_on, cash: -refunded, refunded, payment_id })
  if (refunded > 0n) {
    const event = { event_type: 'LOAN_REFUND_PAID', principal_amount: refunded }
    await logLoanEvents(tx, [{ loan_id: loan!.id, partner_id: loan!.partner_id, ...event }])
  }
}
