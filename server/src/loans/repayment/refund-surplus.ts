/** Sends back what was paid beyond what was owed, to the account it came from. */
import { sql } from 'kysely'
import { clearAlert, raiseAlert } from '../../alerts/index.ts'
import { type Actor, move } from '../../db/move.ts'
import type { Tx } from '../../db/transaction.ts'
import { note } from '../../events/record.ts'
import { addTargetDays, onOrAfterTargetDay } from '../../kit/calendar.ts'
import { addDays, type Day, max } from '../../kit/dates.ts'
import { euros } from '../../kit/money.ts'
import { fundingAccount } from '../../kit/payment-account.ts'
import { problem } from '../../kit/problem.ts'
import {
  lockScheduled,
  type PaymentRow,
  replaceRefund,
  schedulePayments,
  setAmounts,
  setReason,
} from '../../payments/index.ts'
import { logLoanEvents } from '../log-store.ts'
import { lockLoanMoney, rebook } from '../money.ts'
import { type LoanRow, lockLoans } from '../store.ts'

/** A payment that brought more than was owed, as the loan's money is shared now. */
type Overpaid = PaymentRow & { surplus: bigint; used: bigint; revocable_until: Day | null }

const TO_BE_PAID_OUT = ['VALIDATED', 'SCHEDULED', 'INITIATED']

/**
 * Keeps a loan's planned refunds in step with its surplus: each payer gets back what its own
 * payment brought too much. A refund that failed or came back is not sent again by itself, but by a
 * person; without a known account the money stays payable until one looks.
 */
export async function planRefunds(tx: Tx, actor: Actor, loan_id: string): Promise<void> {
  const [loan] = await lockLoans(tx, [loan_id])
  // Money that came before the payout waits for it.
  if (!loan || TO_BE_PAID_OUT.includes(loan.status)) return
  await lockScheduled(tx, { loan_id })
  const refunds = await tx.all(sql<PaymentRow>`
    select * from payments where loan_id = ${loan_id} and payment_type = 'REFUND'
      and status <> 'CANCELED' and sent_again_at is null order by id`)
  const onTheirWay = refunds.filter(r => r.status === 'INSTRUCTED' || r.status === 'IN_TRANSIT')
  let left = loan.surplus - loan.surplus_refunded - sumOf(onTheirWay)
  const overpaid = await readOverpaid(tx, loan_id)
  for (const payment of overpaid) {
    const own = refunds.filter(r => r.refunded_payment_id === payment.id)
    const [planned] = own.filter(r => r.status === 'SCHEDULED')
    const missing = payment.surplus - sumOf(own.filter(r => r !== planned))
    const due = missing < left ? missing : left
    const amount = payment.from_account && due > 0n ? due : 0n
    left -= amount
    await tellWaiting(tx, payment, payment.from_account ? 0n : due)
    await planRefund(tx, actor, loan, payment, planned, amount)
  }
  const known = new Set(overpaid.map(payment => payment.id))
  const stale = refunds.filter(r => r.status === 'SCHEDULED' && !known.has(r.refunded_payment_id!))
  await move(tx, actor, 'payment', stale, 'cancel', 'nothing to refund')
}

/**
 * Plans anew what a refund that failed or came back was to give back. Throws `state_conflict` where
 * it may still arrive, was sent again, or nothing of it is owed any more.
 */
export async function refundAgain(
  tx: Tx,
  actor: Actor,
  refund: PaymentRow & { loan_id: string },
): Promise<void> {
  const { id, loan_id, refunded_payment_id } = refund
  await lockLoans(tx, [loan_id])
  await replaceRefund(tx, id)
  await planRefunds(tx, actor, loan_id)
  const planned = await tx.maybe(sql`
    select from payments where loan_id = ${loan_id} and status = 'SCHEDULED'
      and refunded_payment_id = ${refunded_payment_id} limit 1`)
  if (!planned) throw problem('state_conflict', 'Nothing of it is owed back any more.')
}

async function planRefund(
  tx: Tx,
  actor: Actor,
  loan: LoanRow,
  payment: Overpaid,
  planned: PaymentRow | undefined,
  amount: bigint,
): Promise<void> {
  if (planned?.amount === amount || (!planned && amount === 0n)) return
  if (planned && amount === 0n) {
    await move(tx, actor, 'payment', [planned], 'cancel', 'nothing to refund')
  } else if (planned) {
    await setAmounts(tx, [{ id: planned.id, amount }])
  } else {
    await schedulePayments(tx, actor, [
      {
        partner_id: loan.partner_id,
        borrower_id: loan.borrower_id,
        payment_type: 'REFUND',
        payment_method: 'SCT',
        direction: 'OUT',
        amount,
        scheduled_on: refundDay(tx, payment),
        from_account: fundingAccount(tx.settings.lender),
        to_account: payment.from_account!,
        to_references: [loan.repayment_reference],
        loan_id: loan.id,
        refunded_payment_id: payment.id,
      },
    ])
  }
}

/** Money that cannot be sent back is told with the payment that brought it. */
async function tellWaiting(tx: Tx, payment: Overpaid, waiting: bigint): Promise<void> {
  const reason =
    waiting > 0n ? `${euros(waiting)} too many wait: the account they came from is not known` : null
  if (!(await setReason(tx, payment.id, reason))) return
  note(tx, 'payment', payment.id, 'Payment.UPDATED')
  await clearAlert(tx, 'refund_waiting', payment.id)
  if (reason) await raiseAlert(tx, 'refund_waiting', payment.id, reason)
}

/** The next banking day; a debit's surplus leaves only when the debit can no longer come back. */
function refundDay(tx: Tx, { revocable_until }: Overpaid): Day {
  const next = onOrAfterTargetDay(addDays(tx.today, 1))
  return revocable_until ? max(next, addTargetDays(revocable_until, 1)) : next
}

async function readOverpaid(tx: Tx, loan_id: string): Promise<Overpaid[]> {
  const unpaid = await surplusWithoutPayment(tx, loan_id)
  const paid = await tx.all(sql<Overpaid>`
    select p.*, m.surplus, m.used, m.revocable_until from payments p join (
      select payment_id, sum(surplus)::bigint as surplus,
        sum(principal + interest)::bigint as used, max(revocable_until) as revocable_until
      from loan_movements where loan_id = ${loan_id} and voided_at is null and kind <> 'PAYOUT'
      group by payment_id) m on m.payment_id = p.id
    where m.surplus > 0 or p.reason is not null or ${unpaid} > 0 order by p.id`)
  return withSurplus(paid, unpaid).filter(p => p.surplus > 0n || p.reason !== null)
}

/**
 * What card refunds and credit notes brought too much, since money with an earlier value date
 * became known.
 */
async function surplusWithoutPayment(tx: Tx, loan_id: string): Promise<bigint> {
  const { surplus } = await tx.one(sql<{ surplus: bigint }>`
    select coalesce(sum(surplus), 0)::bigint as surplus from loan_movements
    where loan_id = ${loan_id} and voided_at is null and payment_id is null`)
  return surplus
}

/** It cannot be sent back from where it came: who paid by the bank get it, the last one first. */
function withSurplus(paid: readonly Overpaid[], unpaid: bigint): Overpaid[] {
  let left = unpaid
  const shared = paid.toReversed().map(payment => {
    const more = payment.used < left ? payment.used : left
    left -= more
    return { ...payment, surplus: payment.surplus + more }
  })
  return shared.reverse()
}

function sumOf(payments: readonly PaymentRow[]): bigint {
  return payments.reduce((sum, payment) => sum + payment.amount, 0n)
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
  fact: { payment: PaymentRow; back_id: string; value_on: Day; reason: string },
  actor: Actor,
): Promise<void> {
  if (fact.payment.payment_type !== 'REFUND' || !fact.payment.loan_id) return
  await bookRefund(tx, actor, fact.payment, fact.back_id, fact.value_on, -fact.payment.amount)
  await tellUnsent(tx, fact)
}

/** It did not arrive: a person sees to it. */
export async function tellUnsent(
  tx: Tx,
  { payment, reason }: { payment: PaymentRow; reason: string },
): Promise<void> {
  if (payment.payment_type !== 'REFUND' || !payment.loan_id) return
  const what = `${euros(payment.amount)} that were paid too many did not arrive: ${reason}`
  await raiseAlert(tx, 'refund_waiting', payment.id, `${what}. Send them again`)
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
    const event = { event_type: 'LOAN_REFUND_PAID' as const, principal_amount: refunded }
    logLoanEvents(tx, [{ loan_id: loan!.id, partner_id: loan!.partner_id, ...event }])
  }
}
