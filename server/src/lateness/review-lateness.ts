/** The daily look at everything that may be late, and the one after money has moved. */
import { inSlicesById } from '../db/slices.ts'
import type { Database, Tx } from '../db/transaction.ts'
import { enqueue } from '../jobs/index.ts'
import { findConcerned, nextConcerned } from './queries.ts'
import { reviewBorrowers } from './review-borrowers.ts'

const SLICE = 200

/** Reviews all borrowers concerned, in slices; answers how many. Safe to repeat. */
export function reviewLateness(database: Database): Promise<number> {
  return inSlicesById(database, async (tx, after) => {
    const ids = await nextConcerned(tx, after, SLICE)
    if (ids.length > 0) await reviewBorrowers(tx, ids)
    return { last: ids.at(-1), done: ids.length }
  })
}

/**
 * A loan's money or its day has changed: its borrower is looked at anew, the same day. By a job,
 * for a borrower is locked before its loans.
 */
export async function followLoan(tx: Tx, { loan_id }: { loan_id: string }): Promise<void> {
  const borrower_id = await findConcerned(tx, loan_id)
  if (borrower_id) enqueue(tx, 'review_lateness', { borrower_id })
}
