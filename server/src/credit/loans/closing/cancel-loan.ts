/** Withdraws loans that will not be paid out. */
import { publishFact } from '../../../facts.ts'
import { cancelScheduled } from '../../../money/payments/index.ts'
import { move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { logLoanEvents } from '../booking/log-store.ts'
import { collectLentRefunds } from '../repayments/collect-lent-refunds.ts'
import { planRefundsOf } from '../repayments/refund-surplus.ts'
import {
  type BorrowerKey,
  lockLoansIn,
  releaseReservedCredit,
} from '../requests/decide-waiting-loans.ts'
import type { LockedLoan } from '../store.ts'

/**
 * Cancels a loan. Throws `state_conflict` if it can no longer be canceled, for example once the
 * payout has been sent.
 */
export async function cancelLoan(
  tx: Tx,
  loan: LockedLoan,
  reason: string | null = null,
): Promise<void> {
  await withdrawLoans(tx, [loan], 'cancel', reason)
}

const WHY = { cancel: 'loan canceled', delete: 'loan deleted' }

/**
 * Withdraws locked loans that will not be paid out. Cancels their scheduled payouts; with
 * `cancel_payout`, the payout has already failed or been returned. Frees the credit they reserve
 * and plans refunds of what was repaid.
 */
export async function withdrawLoans(
  tx: Tx,
  loans: readonly LockedLoan[],
  trigger: 'cancel' | 'delete' | 'cancel_payout',
  reason: string | null,
): Promise<void> {
  if (loans.length === 0) return
  const statuses = await move(tx, 'loan', loans, trigger, reason)
  if (trigger !== 'cancel_payout') {
    await cancelScheduled(tx, 'loan_id', loans, WHY[trigger])
  }
  await releaseReservedCredit(tx, loans)
  const withdrawn = loans.map((loan, index) => ({
    ...loan,
    status: statuses[index]!,
    reserved: 0n,
  }))
  // Few withdrawn loans have received money, so few have surplus.
  const others = await collectLentRefunds(tx, withdrawn)
  for (const loan of others.filter(one => one.surplus !== 0n)) await planRefundsOf(tx, loan)
  logLoanEvents(
    tx,
    loans.map(({ id: loan_id, partner_id }) => ({
      loan_id,
      partner_id,
      event_type: 'LOAN_CANCELED',
    })),
  )
  await publishFact(tx, 'loans_withdrawn', { loans })
}

/**
 * Cancels approved loans of a borrower that may no longer borrow, unless the payout has been sent
 * to the bank.
 */
export async function cancelApprovedLoans(tx: Tx, fact: BorrowerKey): Promise<void> {
  const loans = await lockLoansIn(tx, fact, ['VALIDATED', 'SCHEDULED'])
  await withdrawLoans(tx, loans, 'cancel', 'BUSINESS_COMPLIANCE_ISSUE_DETECTED')
}
