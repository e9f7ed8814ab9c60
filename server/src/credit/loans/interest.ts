/** Computes the interest on outstanding principal, with periods in which it is suspended. Pure. */
import { compare, type Day, daysBetween, min } from '../../platform/kit/dates.ts'
import { type Accrual, accrue, roundHalfEven } from '../../platform/kit/money.ts'

/** Interest-bearing principal from a day on. */
export interface PrincipalStep {
  readonly from_on: Day
  readonly principal: bigint
}

/** A period without interest. `until_on` is the first day after it, or null while it is open. */
export interface InterestStop {
  readonly from_on: Day
  readonly until_on: Day | null
}

/** The cost of a loan, in parts per million of its principal per day. */
export interface Rates {
  readonly rate_ppm: number
  readonly mark_up_ppm: number
}

/**
 * Interest in cents up to `on`, exclusive: the exact sum over the steps, rounded once, half even. A
 * step bears interest from its day until the day before the next step.
 */
export function interestTo(steps: readonly PrincipalStep[], rate_ppm: number, on: Day): bigint {
  return rate_ppm === 0 ? 0n : roundHalfEven(accruedTo(steps, rate_ppm, on))
}

/** The exact interest up to `on`, exclusive, in micro-cents. */
export function accruedTo(steps: readonly PrincipalStep[], rate_ppm: number, on: Day): Accrual {
  let exact = 0n
  for (const [index, step] of steps.entries()) {
    const until = steps[index + 1]?.from_on ?? on
    const days = daysBetween(step.from_on, min(until, on))
    if (days > 0) exact += accrue(step.principal, rate_ppm, days)
  }
  return exact
}

/** Interest and mark-up in cents up to `on`, exclusive, each rounded separately. */
export function feesTo(steps: readonly PrincipalStep[], rates: Rates, on: Day): bigint {
  return interestTo(steps, rates.rate_ppm, on) + interestTo(steps, rates.mark_up_ppm, on)
}

/** The principal steps, with 0 for the days on which interest is suspended. */
export function interestBearing(
  steps: readonly PrincipalStep[],
  stops: readonly InterestStop[],
): readonly PrincipalStep[] {
  const start = steps[0]?.from_on
  if (start === undefined || stops.length === 0) return steps
  const days = [
    ...steps.map(one => one.from_on),
    ...stops.flatMap(({ from_on, until_on }) => [from_on, ...(until_on ? [until_on] : [])]),
  ]
  const bearingSteps: PrincipalStep[] = []
  for (const on of [...new Set(days)].filter(on => on >= start).sort(compare)) {
    const principal = isStopped(stops, on)
      ? 0n
      : steps.findLast(one => one.from_on <= on)!.principal
    if (bearingSteps.at(-1)?.principal !== principal) bearingSteps.push({ from_on: on, principal })
  }
  return bearingSteps
}

function isStopped(stops: readonly InterestStop[], on: Day): boolean {
  return stops.some(s => s.from_on <= on && (s.until_on === null || on < s.until_on))
}

/** Whether the borrower is charged interest for a day on which principal is outstanding. */
export function bearsInterest(
  loan: { readonly fees_payer: string; readonly interest_stops: readonly InterestStop[] },
  on: Day,
): boolean {
  return loan.fees_payer !== 'PARTNER' && !isStopped(loan.interest_stops, on)
}
