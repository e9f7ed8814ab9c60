/** Sums overdue loans by days past due, in the products' buckets. */
import type { Tx } from '../../platform/db/transaction.ts'
import { readDelinquencyDays, readLateGroups } from './queries.ts'
import { type Bucket, bucketOf, bucketsOf } from './rules.ts'

export interface Delinquency extends Bucket {
  readonly loans: bigint
  /** Cents of outstanding principal. */
  readonly principal: bigint
}

/**
 * Loans recorded as overdue, of one partner or of all, by bucket in ascending order. Includes empty
 * buckets.
 */
export async function readDelinquency(
  tx: Tx,
  partner_id: string | null = null,
): Promise<Delinquency[]> {
  const groups = await readLateGroups(tx, partner_id)
  const late = groups.filter(group => group.days_late > 0)
  const buckets = (await readDelinquencyDays(tx)).flatMap(bucketsOf).filter(b => b.from_days > 0)
  const found = new Map<string, Delinquency>()
  for (const bucket of buckets) found.set(bucket.bucket, { ...bucket, loans: 0n, principal: 0n })
  for (const { days_late, delinquency_days, loans, principal } of late) {
    const { bucket } = bucketOf(days_late, delinquency_days)
    const sum = found.get(bucket)!
    found.set(bucket, {
      ...sum,
      loans: sum.loans + loans,
      principal: sum.principal + principal,
    })
  }
  return [...found.values()].sort((a, b) => a.from_days - b.from_days)
}
