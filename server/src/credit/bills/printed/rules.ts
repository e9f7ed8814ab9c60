/** Why a bill adjusts what an earlier one asked for. Pure; domain.md, Corrections of bills. */
import type { Day } from '../../../platform/kit/dates.ts'
import type { Reason } from '../printed-line.ts'

/** Something that changed the principal of a loan that bears interest. */
export interface LoanFact {
  readonly reason: Reason
  /** Whether it lessens interest, or adds to it. */
  readonly lessens: boolean
  /** From this day on. */
  readonly from_on: Day
  /** The first day it concerns no longer; null when there is none. */
  readonly until_on: Day | null
  /** Null when that is not recorded. */
  readonly known_at: Date | null
}

interface Difference {
  readonly from_on: Day
  readonly principal: bigint
}

/**
 * The fact that explains a difference from a bill that was made before it was known: the last one
 * that took effect by then. Undefined when there is none.
 */
export function reasonOf(
  { from_on, principal }: Difference,
  billed_at: Date,
  facts: readonly LoanFact[],
): Reason | undefined {
  const explaining = facts.filter(
    fact =>
      fact.lessens === principal < 0n &&
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
