/**
 * Computes the installments of a plan: dates, and cents that add up exactly to principal, interest
 * up to those dates, and fees. Pure.
 */
import { onOrAfterTargetDay } from '../../../platform/kit/calendar.ts'
import { addDays, addMonths, type Day, max } from '../../../platform/kit/dates.ts'
import { maxAmount, minAmount, splitEvenly } from '../../../platform/kit/money.ts'
import { feesTo, type PrincipalStep, type Rates } from '../../loans/interest.ts'

export type Period = 'weekly' | 'biweekly' | 'monthly'

/** The current state of a loan or bill that a plan repays. A bill accrues no interest. */
export interface Debt {
  readonly kind: 'LOAN' | 'BILL'
  readonly id: string
  /** Cents: a loan's outstanding principal, or a bill's unpaid amount. */
  readonly principal: bigint
  readonly steps: readonly PrincipalStep[]
  readonly rates: Rates
  readonly interest_paid: bigint
  readonly is_written_off: boolean
  /** Whether interest is suspended, so that the outstanding principal accrues none from now on. */
  readonly stopped: boolean
}

export interface Pay {
  readonly on: Day
  readonly amount: bigint
}

export interface Installment {
  readonly due_on: Day
  /** Cents for each debt, in the order of the debts; 0 for a debt without a part. */
  readonly parts: readonly bigint[]
  readonly fees: bigint
}

const ROUNDS = 20

const STEP_DAYS = { weekly: 7, biweekly: 14 }

/**
 * `count` banking days, each anchored on the start date and rolled forward, none before `first`.
 * The monthly anchors from 31 January are 31 January, 28 February, 31 March and so on.
 */
export function planDays(start: Day, period: Period, count: number, first: Day): Day[] {
  const days: Day[] = []
  for (let i = 0; i < count; i++) {
    const anchored =
      period === 'monthly' ? addMonths(start, i) : addDays(start, STEP_DAYS[period] * i)
    const before = days.at(-1)
    // If an installment is rolled forward, the next ones still come after it.
    const earliest = before ? addDays(before, 1) : first
    days.push(onOrAfterTargetDay(max(anchored, earliest)))
  }
  return days
}

/**
 * Cents that a debt owes on a day after receiving `pays`: principal first, then interest up to that
 * day. Negative if more was paid.
 */
export function owedAfter(debt: Debt, pays: readonly Pay[], on: Day): bigint {
  let principal = debt.principal
  let to_interest = 0n
  const planned: PrincipalStep[] = []
  for (const pay of pays) {
    const repaid = minAmount(pay.amount, principal)
    principal -= repaid
    to_interest += pay.amount - repaid
    if (repaid > 0n && !debt.stopped) planned.push({ from_on: pay.on, principal })
  }
  const interest = feesTo([...debt.steps, ...planned], debt.rates, on) - debt.interest_paid
  return principal + maxAmount(interest, 0n) - to_interest
}

/**
 * The installments that repay debts on these days, or null if there are too few cents. All except
 * the last are level, unless the debts are too small for that. Each debt reaches zero with the last
 * installment and not before.
 */
export function computeInstallments(
  debts: readonly Debt[],
  days: readonly Day[],
  fees: bigint,
): Installment[] | null {
  const last = days.at(-1)!
  const before = days.slice(0, -1)
  const levels = debts.map(debt => levelOf(debt, days))
  const some = levels.some(level => level > 0n)
  const early = some ? before.map(() => levels) : distribute(debts, before)
  if (!early) return null
  const rest = debts.map((debt, d) =>
    owedAfter(
      debt,
      before.map((on, i) => ({ on, amount: early[i]![d]! })),
      last,
    ),
  )
  if (rest.some(cents => cents <= 0n)) return null
  const fee = splitEvenly(fees, days.length)[0]!
  return [
    ...before.map((due_on, i) => ({ due_on, parts: early[i]!, fees: fee })),
    { due_on: last, parts: rest, fees: fees - fee * BigInt(before.length) },
  ]
}

/** The highest level part of a debt that is not larger than the last part. */
function levelOf(debt: Debt, days: readonly Day[]): bigint {
  const last = days.at(-1)!
  const before = days.slice(0, -1)
  const restOf = (level: bigint) =>
    owedAfter(
      debt,
      before.map(on => ({ on, amount: level })),
      last,
    )
  // Each payment slightly changes the interest, and thus the total. This converges within a few
  // rounds.
  let level = splitEvenly(owedAfter(debt, [], last), days.length)[0]!
  for (let round = 0; round < ROUNDS; round++) {
    const whole = restOf(level) + level * BigInt(before.length)
    const better = splitEvenly(whole, days.length)[0]!
    if (better === level) break
    level = better
  }
  while (level > 0n && restOf(level) < level) level -= 1n
  while (restOf(level + 1n) >= level + 1n) level += 1n
  return level
}

/**
 * Plans debts too small for a level part: each day repays one cent of the largest debt, and at
 * least one cent of each debt is left for the last day.
 */
function distribute(debts: readonly Debt[], days: readonly Day[]): bigint[][] | null {
  const paid = debts.map((): Pay[] => [])
  const parts: bigint[][] = []
  for (const on of days) {
    const left = debts.map((debt, d) => owedAfter(debt, paid[d]!, on))
    const most = left.reduce((best, cents, d) => (cents > left[best]! ? d : best), 0)
    if ((left[most] ?? 0n) <= 1n) return null
    paid[most]!.push({ on, amount: 1n })
    parts.push(debts.map((_, d) => (d === most ? 1n : 0n)))
  }
  return parts
}

/**
 * Cents due for each part of one debt, with parts in date order: as planned, less what early
 * payments have covered. Overdue parts count as due `today`.
 */
export function stillDue(
  debt: Debt,
  parts: readonly { readonly due_on: Day; readonly open: bigint }[],
  today: Day,
): bigint[] {
  const pays: Pay[] = []
  return parts.map(part => {
    const on = max(part.due_on, today)
    const owed = owedAfter(debt, pays, on)
    const amount = minAmount(owed, part.open)
    const due = maxAmount(amount, 0n)
    pays.push({ on, amount: due })
    return due
  })
}
