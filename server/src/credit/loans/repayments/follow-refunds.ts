/** Follows refunds at the bank, and sends failed ones again at an operator's request. */
import { sql } from 'kysely'
import {
  cashOfPayment,
  type PaymentFor,
  type PaymentRow,
  replaceRefund,
} from '../../../money/payments/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { problem } from '../../../platform/kit/problem.ts'
import type { BankCash } from '../../../platform/ledger/index.ts'
import { logLoanEvents } from '../booking/log-store.ts'
import { type LoanFact, lockLoanMoney } from '../booking/money.ts'
import { type NewMovement, voidMovements } from '../store.ts'
import { bookLoan } from './plan-payments.ts'
import { planRefundsOf } from './refund-surplus.ts'

/**
 * Books a settled refund, which uses up surplus. If the surplus is gone, because a debit was
 * returned since, the refund becomes principal again, which changes the debits.
 */
export async function settleRefund(
  tx: Tx,
  { payment, value_on }: { payment: PaymentFor<'loan_refund'>; value_on: Day },
): Promise<void> {
  const { id: payment_id, partner_id, loan_id, amount, refunded_payment_id } = payment
  const [loan] = await lockLoanMoney(tx, [{ partner_id, id: loan_id }])
  const after_write_off = loan!.written_off_on !== null
  const refund = { loan_id, partner_id, payment_id, refunded_payment_id, amount, value_on }
  const moved: NewMovement[] = [{ ...refund, kind: 'REFUND', after_write_off }]
  const other = cashOfPayment(payment)
  const fact: LoanFact = { kind: 'refund', value_on, cash: -amount, other, payment_id }
  const event = { event_type: 'LOAN_REFUND_PAID' as const, principal_amount: amount }
  logLoanEvents(tx, [{ loan_id, partner_id, ...event }])
  await bookLoan(tx, { loan: loan!, fact, moved })
}

/**
 * Books a returned refund: we owe it again, as if it had never been paid. If it had become
 * principal, that principal is no longer owed, and payments of it become surplus.
 */
export async function returnRefund(
  tx: Tx,
  fact: { payment: PaymentFor<'loan_refund'>; back_id: string; value_on: Day; cash: BankCash },
): Promise<void> {
  const { payment, back_id: payment_id, value_on, cash: other } = fact
  const { partner_id, loan_id, amount: cash } = payment
  const [loan] = await lockLoanMoney(tx, [{ partner_id, id: loan_id }])
  await voidMovements(tx, payment, loan_id)
  const returned: LoanFact = { kind: 'refund_returned', value_on, cash, other, payment_id }
  await bookLoan(tx, { loan: loan!, fact: returned })
}

/**
 * Plans the loan's refunds again, and thereby notes on the failed refund that an operator has to
 * send it again.
 */
export async function failRefund(
  tx: Tx,
  { payment }: { payment: PaymentFor<'loan_refund'> },
): Promise<void> {
  await planRefundsOf(tx, { partner_id: payment.partner_id, id: payment.loan_id })
}

/**
 * Plans a new refund for the amount of one that failed or was returned. If the amount now belongs
 * to another payer, that payer receives it. Throws `state_conflict` if the refund may still arrive,
 * has already been replaced, or is no longer owed.
 */
export async function refundAgain(tx: Tx, refund: PaymentRow & { loan_id: string }): Promise<void> {
  const { partner_id, loan_id } = refund
  const [loan] = await lockLoanMoney(tx, [{ partner_id, id: loan_id }])
  await replaceRefund(tx, refund)
  await planRefundsOf(tx, loan!)
  const planned = await tx.maybe(sql`
    select from payments where partner_id = ${partner_id} and loan_id = ${loan_id}
      and status = 'SCHEDULED' and payment_type = 'REFUND' limit 1`)
  if (!planned)
    throw problem(
      'state_conflict',
      'Nothing is left to refund: the surplus has been used or refunded since.',
    )
}
