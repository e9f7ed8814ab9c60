/** Reviews borrowers with debts that may be overdue, daily and after money has moved. */
import type { LoanMoneyChange } from '../../facts.ts'
import { batchJob, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import { findBorrowersToReview, nextBorrowersToReview } from './queries.ts'
import { reviewBorrowers } from './review-borrowers.ts'

const SLICE = 200

/** Reviews all borrowers whose debts may be overdue, in pages. Safe to repeat. */
export function reviewOverdueLoans(): Paged {
  const read = (tx: Tx, after: string) => nextBorrowersToReview(tx, after, SLICE)
  return batchJob('borrowers to review', read, async (tx, ids) => {
    await reviewBorrowers(tx, ids)
    return ids.length
  })
}

/**
 * Enqueues a review, on the same day, of borrowers whose loans' money or dates changed. Reviews run
 * as jobs, because a borrower must be locked before its loans.
 */
export async function followLateLoans(tx: Tx, loan_ids: readonly string[]): Promise<void> {
  reviewLate(tx, await findBorrowersToReview(tx, loan_ids))
}

/**
 * Like `followLateLoans`, after the money of loans changed. A change to a loan's plan may make it
 * overdue.
 */
export async function followLateMoney(
  tx: Tx,
  { changes }: { changes: readonly LoanMoneyChange[] },
): Promise<void> {
  const [known, others] = [true, false].map(is => changes.filter(c => c.links.lateness === is))
  reviewLate(
    tx,
    known!.map(({ loan }) => loan.borrower_id),
  )
  const loan_ids = others!.map(change => change.loan_id)
  if (loan_ids.length > 0) await followLateLoans(tx, loan_ids)
}

/** Enqueues a review of these borrowers. */
export function reviewLate(tx: Tx, borrower_ids: readonly string[]): void {
  for (const borrower_id of new Set(borrower_ids)) {
    enqueue(tx, 'review_lateness', { borrower_id })
  }
}
