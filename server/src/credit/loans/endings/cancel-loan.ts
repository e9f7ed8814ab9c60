/** Cancels a loan before its payout has gone to the bank. */
import { state } from '../../../facts.ts'
import { cancelScheduled } from '../../../money/payments/index.ts'
import { type Actor, move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { logLoanEvents } from '../log-store.ts'
import { collectLentRefunds } from '../repayment/collect-lent-refunds.ts'
import { planRefundsOf } from '../repayment/refund-surplus.ts'
import {
  type BorrowerFact,
  lockLoansIn,
  releaseHeadroom,
} from '../requests/decide-waiting-loans.ts'
import type { LockedLoan } from '../store.ts'

/** Throws `state_conflict` once the payout is on its way. The loan is locked by the caller. */
export async function cancelLoan(
  tx: Tx,
  actor: Actor,
  loan: LockedLoan,
  reason: string | null = null,
): Promise<void> {
  await withdrawLoans(tx, actor, [loan], 'cancel', reason)
}

const WHY = { cancel: 'loan canceled', delete: 'loan deleted' }

/**
 * Loans that are not to be paid out any more, whoever says so: their payout waits, or was ended
 * before (`cancel_payout`). What they hold is free, and what was repaid ahead goes back. They are
 * locked by the caller.
 */
export async function withdrawLoans(
  tx: Tx,
  actor: Actor,
  loans: readonly LockedLoan[],
  trigger: 'cancel' | 'delete' | 'cancel_payout',
  reason: string | null,
): Promise<void> {
  if (loans.length === 0) return
  const statuses = await move(tx, actor, 'loan', loans, trigger, reason)
  const ids = loans.map(loan => loan.id)
  if (trigger !== 'cancel_payout') await cancelScheduled(tx, actor, { loan_id: ids }, WHY[trigger])
  await releaseHeadroom(tx, loans)
  const withdrawn = loans.map((loan, index) => ({
    ...loan,
    status: statuses[index]!,
    reserved: 0n,
  }))
  await collectLentRefunds(tx, actor, withdrawn)
  // Money that came ahead of the payout, which is rare.
  for (const { id } of loans.filter(loan => loan.surplus !== 0n)) await planRefundsOf(tx, actor, id)
  logLoanEvents(
    tx,
    loans.map(({ id: loan_id, partner_id }) => ({
      loan_id,
      partner_id,
      event_type: 'LOAN_CANCELED',
    })),
  )
  await state(tx, actor, 'loans_withdrawn', { loan_ids: ids })
}

/**
 * KYB is rejected: what was approved before and is not paid out yet is canceled, unless the bank
 * has been told to pay.
 */
export async function cancelApprovedLoans(tx: Tx, fact: BorrowerFact, actor: Actor): Promise<void> {
  const loans = await lockLoansIn(tx, fact, ['VALIDATED', 'SCHEDULED'])
  await withdrawLoans(tx, actor, loans, 'cancel', 'BUSINESS_COMPLIANCE_ISSUE_DETECTED')
}
