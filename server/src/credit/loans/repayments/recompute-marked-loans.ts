/** Recomputes the accounts of loans that a migration has marked as outdated. */
import { sql } from 'kysely'
import { followKey, type RowKey } from '../../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../../platform/db/slices.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { rejectWriteOffsOf } from '../booking/end-write-offs.ts'
import { lockLoanMoney } from '../booking/money.ts'
import { clearRecomputeMark } from '../store.ts'
import { bookLoans } from './plan-payments.ts'

const SLICE = 50

export function recomputeMarkedLoans(): Paged {
  const read = (tx: Tx, after: RowKey) =>
    tx.all(sql<RowKey>`
      select partner_id, id from loans
      where fold_outdated and ${followKey(after, 'loans')}
      order by partner_id, id limit ${SLICE}`)
  return keyedJob('loans to recompute', read, recomputeTogether)
}

async function recomputeTogether(tx: Tx, keys: readonly RowKey[]): Promise<number> {
  const loans = (await lockLoanMoney(tx, keys)).filter(loan => loan.fold_outdated)
  // No money moves; only the difference between the old and the new account is booked.
  const fact = { kind: 'refund', value_on: tx.today, cash: 0n } as const
  const bookings = loans.map(loan => ({ loan, fact }))
  await bookLoans(tx, bookings, {
    onBooked: () => rejectWriteOffsOf(tx, loans),
  })
  await clearRecomputeMark(tx, loans)
  return loans.length
}
