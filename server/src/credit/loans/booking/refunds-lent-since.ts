/** Determines when it became known that refunds are principal again. Pure. */
import { type Day, min } from '../../../platform/kit/dates.ts'
import type { LoanAccount } from '../account.ts'

/** A movement of a loan as stored before a change. */
interface StoredRefund {
  readonly id: string
  readonly principal: bigint
  /** The day it became known that the refund is principal again; null if it is not. */
  readonly lent_known_on: Day | null
}

/**
 * The day it became known that each refund of a loan is principal again, by movement id. Later
 * payments and returns do not change this day. But if more of a refund becomes principal while the
 * loan owes none, the earlier part has been repaid, and the day is `today`.
 */
export function refundsLentSince(
  loan: { readonly principal_outstanding: bigint },
  { shares }: Pick<LoanAccount, 'shares'>,
  movements: readonly StoredRefund[],
  today: Day,
): Map<string, Day> {
  const days = movements.flatMap(({ id, principal, lent_known_on }): [string, Day][] => {
    const now = shares.get(id)?.principal ?? 0n
    if (now >= 0n) return []
    const isNew = now < principal && loan.principal_outstanding === 0n
    return [[id, isNew || lent_known_on === null ? today : lent_known_on]]
  })
  return new Map(days)
}

/**
 * The earliest day on which an unpaid refund became known to be principal again, before which the
 * loan is not dunned. Null unless the loan owes only reclaimed refunds.
 */
export function reclaimKnownOn(
  { reclaimed_on, reclaimed_unpaid }: Pick<LoanAccount, 'reclaimed_on' | 'reclaimed_unpaid'>,
  days: ReadonlyMap<string, Day>,
): Day | null {
  if (reclaimed_on === null) return null
  const [first, ...others] = reclaimed_unpaid.map(id => days.get(id)!)
  return first === undefined ? null : min(first, ...others)
}
