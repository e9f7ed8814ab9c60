/**
 * Collects refunds that turned out to be lent once it is certain that their loan will not be paid
 * out.
 */
import type { Actor } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { bookLoanFacts } from '../booking/money.ts'
import type { LockedLoan } from '../store.ts'
import { planCollections } from './plan-collections.ts'

/**
 * Reopens the given loans that have lent refunds, and plans their collection. The caller has locked
 * the loans and passes them in their status without a payout.
 */
export async function collectLentRefunds(
  tx: Tx,
  actor: Actor,
  loans: readonly LockedLoan[],
): Promise<void> {
  const lent = loans.filter(loan => loan.refunds_reclaimed > 0n)
  if (lent.length === 0) return
  // No money moves. The loan owed nothing as long as it was to be paid out.
  const fact = { kind: 'refund', value_on: tx.today, cash: 0n } as const
  const booked = await bookLoanFacts(
    tx,
    actor,
    lent.map(loan => ({ loan, fact })),
  )
  await planCollections(tx, actor, booked)
}
