/** Collects reclaimed refunds of withdrawn loans and of loans whose payout failed. */
import type { Tx } from '../../../platform/db/transaction.ts'
import type { LockedLoan } from '../store.ts'
import { bookLoans } from './plan-payments.ts'

/**
 * Reopens the loans with reclaimed refunds and plans the collection of those refunds. The caller
 * has locked the loans and passes their status after the withdrawal or failed payout. Returns the
 * remaining loans, whose refunds the caller must still plan.
 */
export async function collectLentRefunds(
  tx: Tx,
  loans: readonly LockedLoan[],
): Promise<LockedLoan[]> {
  const lent = loans.filter(loan => loan.refunds_reclaimed > 0n)
  const others = loans.filter(loan => loan.refunds_reclaimed === 0n)
  if (lent.length === 0) return others
  // The booking moves no cash. It makes the loan owe refunds that did not count while a payout was
  // to come.
  const fact = { kind: 'refund', value_on: tx.today, cash: 0n } as const
  await bookLoans(
    tx,
    lent.map(loan => ({ loan, fact })),
  )
  return others
}
