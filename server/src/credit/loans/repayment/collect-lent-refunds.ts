/** Refunds that proved to be lent while their loan was to be paid out, once it no longer is. */
import type { Actor } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { rebookAll } from '../money.ts'
import type { LockedLoan } from '../store.ts'
import { planCollections } from './plan-collections.ts'

/**
 * Reopens those of these loans of which refunds are lent, and plans their collection. They are
 * locked by the caller, and given as they stand without their payout.
 */
export async function collectLentRefunds(
  tx: Tx,
  actor: Actor,
  loans: readonly LockedLoan[],
): Promise<void> {
  const lent = loans.filter(loan => loan.refunds_reclaimed > 0n)
  if (lent.length === 0) return
  // No money moves: until now the loan was to be paid out, and owed nothing before that.
  const fact = { kind: 'refund', value_on: tx.today, cash: 0n } as const
  const booked = await rebookAll(
    tx,
    actor,
    lent.map(loan => ({ loan, fact })),
  )
  await planCollections(tx, actor, booked)
}
