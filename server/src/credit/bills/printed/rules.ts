/** Finds the reason why a bill adjusts an earlier one. Pure. */
import type { Day } from '../../../platform/kit/dates.ts'
import type { Reason } from '../printed-line.ts'

/** A fact that changed the interest-bearing principal of a loan. */
export interface LoanFact {
  readonly reason: Reason
  readonly reduces_interest: boolean
  /** The first day it affects. */
  readonly from_on: Day
  /** The first day after its effect ends; null if open-ended. */
  readonly until_on: Day | null
  /** Null if not recorded. */
  readonly known_at: Date | null
}

interface Difference {
  readonly from_on: Day
  readonly principal: bigint
}

/**
 * The reason why a bill computed at `billed_at` is wrong from `from_on` on: that of the latest fact
 * that took effect by that day, changed the principal in the same direction, and became known after
 * the bill. Undefined if there is none.
 */
export function reasonOf(
  { from_on, principal }: Difference,
  billed_at: Date,
  facts: readonly LoanFact[],
): Reason | undefined {
  const explaining = facts.filter(
    fact =>
      fact.reduces_interest === principal < 0n &&
      fact.from_on <= from_on &&
      (fact.until_on === null || from_on < fact.until_on) &&
      (fact.known_at === null || fact.known_at > billed_at),
  )
  return explaining.reduce<LoanFact | undefined>(later, undefined)?.reason
}

function later(one: LoanFact | undefined, other: LoanFact): LoanFact {
  if (!one || other.from_on > one.from_on) return other
  const known = (fact: LoanFact) => fact.known_at?.getTime() ?? 0
  return other.from_on === one.from_on && known(other) > known(one) ? other : one
}
