/** Reviews borrowers with debts that may be overdue, daily and after their loans have changed. */
import type { LoanMoneyChange } from '../../facts.ts'
import { keysBy, type RowKey } from '../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import { findBorrowersToReview, nextBorrowersToReview } from './queries.ts'
import { reviewBorrowers } from './review-borrowers.ts'

const SLICE = 200

/** Reviews all borrowers whose debts may be overdue, in pages. Safe to repeat. */
export function reviewOverdueLoans(): Paged {
  const read = (tx: Tx, after: RowKey) => nextBorrowersToReview(tx, after, SLICE)
  return keyedJob('borrowers to review', read, async (tx, keys) => {
    await reviewBorrowers(tx, keys)
    return keys.length
  })
}

/**
 * Enqueues a review of the borrowers whose loans' money or dates have changed. Reviews run as jobs,
 * because a borrower must be locked before its loans.
 */
export async function followLateLoans(tx: Tx, loans: readonly RowKey[]): Promise<void> {
  reviewLate(tx, await findBorrowersToReview(tx, loans))
}

/**
 * Like `followLateLoans`, after the money of loans has changed. Loans marked by `links.lateness`
 * need a review. The others are checked again, because their plan may have changed since and made
 * them overdue.
 */
export async function followMoneyOfLateLoans(
  tx: Tx,
  { changes }: { changes: readonly LoanMoneyChange[] },
): Promise<void> {
  const [known, others] = [true, false].map(is => changes.filter(c => c.links.lateness === is))
  reviewLate(
    tx,
    known!.map(({ partner_id, loan }) => ({ partner_id, id: loan.borrower_id })),
  )
  const loans = keysBy(others!, 'loan_id')
  if (loans.length > 0) await followLateLoans(tx, loans)
}

/** Enqueues one review of each borrower. */
export function reviewLate(tx: Tx, borrowers: readonly RowKey[]): void {
  const keys = new Map(borrowers.map(({ partner_id, id }) => [id, partner_id]))
  for (const [borrower_id, partner_id] of keys) {
    enqueue(tx, 'review_lateness', { partner_id, borrower_id })
  }
}
