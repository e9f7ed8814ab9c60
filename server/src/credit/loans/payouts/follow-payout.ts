/** Follows a payout's outcome at the bank. */
import type { LoanLogType } from '@headroom/contract'
import { cashOfPayment, type PaymentFor } from '../../../money/payments/index.ts'
import { move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { BankCash } from '../../../platform/ledger/index.ts'
import { endWriteOff } from '../booking/end-write-offs.ts'
import { logLoanEvents } from '../booking/log-store.ts'
import { mailPaidOut } from '../booking/mail-borrower.ts'
import { type LoanBooking, lockLoanMoney } from '../booking/money.ts'
import { withdrawLoans } from '../closing/cancel-loan.ts'
import { collectLentRefunds } from '../repayments/collect-lent-refunds.ts'
import { bookLoan } from '../repayments/plan-payments.ts'
import { planRefundsOf } from '../repayments/refund-surplus.ts'
import { type LockedLoan, readLoans, voidMovements } from '../store.ts'

/**
 * Books a settled payout, plans the debits and mails the borrower. Interest accrues from the
 * payout's value date.
 */
export async function settlePayout(
  tx: Tx,
  { payment, value_on }: { payment: PaymentFor<'loan_payout'>; value_on: Day },
): Promise<void> {
  const loan = await lockOne(tx, payment)
  const { id: loan_id, partner_id } = loan
  const { id: payment_id, amount } = payment
  const moved = [{ loan_id, partner_id, kind: 'PAYOUT' as const, payment_id, amount, value_on }]
  await move(tx, 'loan', [loan], 'settle_payout')
  logPayout(tx, payment, 'LOAN_DISBURSEMENT_PAID')
  const paid: LoanBooking = {
    loan: { ...loan, status: 'TO_REPAY' },
    fact: { kind: 'payout', value_on, cash: -amount, other: cashOfPayment(payment), payment_id },
    moved,
  }
  // If the loan is paid out again, earlier debits that failed or were returned no longer count.
  await bookLoan(tx, paid, { debits: { retries: true, free_from: null } })
  // Reads the loan again, because reactions to the payout may have changed how much is owed and
  // when.
  const [owed] = await readLoans(tx, [loan])
  await mailPaidOut(tx, owed!, value_on)
}

/**
 * Handles a payout that the bank refused: the credit stays reserved, and nothing is paid out again
 * until an operator decides. Early repayments are refunded.
 */
export async function failPayout(
  tx: Tx,
  { payment, reason }: { payment: PaymentFor<'loan_payout'>; reason: string },
): Promise<void> {
  const loan = await lockOne(tx, payment)
  const [status] = await move(tx, 'loan', [loan], 'fail_payout', reason)
  const others = await collectLentRefunds(tx, [{ ...loan, status: status! }])
  for (const other of others) await planRefundsOf(tx, other)
}

export async function cancelPayout(
  tx: Tx,
  { payment, reason }: { payment: PaymentFor<'loan_payout'>; reason: string },
): Promise<void> {
  const loan = await lockOne(tx, payment)
  await withdrawLoans(tx, [loan], 'cancel_payout', reason)
}

/** Reverses a returned payout, as if it had never been paid; its amount is reserved again. */
export async function returnPayout(
  tx: Tx,
  fact: {
    payment: PaymentFor<'loan_payout'>
    back_id: string
    value_on: Day
    reason: string
    cash: BankCash
  },
): Promise<void> {
  const { payment, back_id, value_on, reason } = fact
  const loan = await lockOne(tx, payment)
  await voidMovements(tx, payment, loan.id)
  await move(tx, 'loan', [loan], 'return_payout', reason)
  logPayout(tx, payment, 'LOAN_RETURNED_PAID')
  await endWriteOff(tx, loan, 'its payout came back')
  await bookLoan(tx, {
    loan: { ...loan, status: 'ISSUE_DETECTED' },
    fact: {
      kind: 'payout_returned',
      value_on,
      cash: payment.amount,
      other: fact.cash,
      payment_id: back_id,
    },
    changes: { written_off_on: null, closed_at: null },
  })
}

function logPayout(tx: Tx, payment: PaymentFor<'loan_payout'>, event_type: LoanLogType): void {
  const { partner_id, amount: principal_amount } = payment
  logLoanEvents(tx, [{ loan_id: payment.loan_id, partner_id, event_type, principal_amount }])
}

async function lockOne(
  tx: Tx,
  { partner_id, loan_id }: PaymentFor<'loan_payout'>,
): Promise<LockedLoan> {
  const [loan] = await lockLoanMoney(tx, [{ partner_id, id: loan_id }])
  return loan!
}
