/** The rules for changing a loan: which fields can change, and which due dates are valid. Pure. */
import {
  CHANGEABLE_OF_LOANS,
  type ProblemCode,
  type Status,
  UNDECIDED_LOANS,
} from '@headroom/contract'
import { addDays, type Day, daysBetween } from '../../../platform/kit/dates.ts'
import { earliestToRepay, type RepaymentMethod } from '../dates.ts'

/**
 * The requested fields that cannot change in this status; null if the status allows no changes at
 * all.
 */
export function lockedFields(status: Status<'loan'>, asked: readonly string[]): string[] | null {
  if (UNDECIDED_LOANS.includes(status)) return []
  const free: readonly string[] | undefined = CHANGEABLE_OF_LOANS[status]
  return free ? asked.filter(field => !free.includes(field)) : null
}

export interface Fault {
  readonly code: ProblemCode
  readonly name: string
  readonly reason: string
}

export interface DatedLoan {
  readonly status: Status<'loan'>
  readonly to_pay_on: Day
  readonly to_repay_on: Day
  readonly postponed_at: Date | null
}

export interface Limits {
  readonly now: Date
  readonly duration_days_max: number
  /** The product's cut-off, in Paris time (HH:MM). Until then, today counts as a full day. */
  readonly cut_off: string
}

/** The due date to agree on. A request for the date that the API already shows changes nothing. */
export function requestedDueDate(
  { to_repay_on, falls_due_on }: { readonly to_repay_on: Day; readonly falls_due_on: Day },
  asked: Day | null | undefined,
): Day {
  return asked && asked !== falls_due_on ? asked : to_repay_on
}

/**
 * Why a loan's due date cannot move to the requested day; null if it can. The term counts from the
 * requested payout date. A loan already paid out can be postponed once; an earlier due date does
 * not count as postponing.
 */
export function repaymentDayFault(
  loan: DatedLoan,
  asked: Day,
  method: RepaymentMethod,
  limits: Limits,
): Fault | null {
  if (asked === loan.to_repay_on) return null
  const fault = (reason: string): Fault => ({
    code: 'request_invalid',
    name: 'to_repay_at',
    reason,
  })
  const earliest = earliestToRepay(method, limits.now, limits.cut_off)
  if (asked < earliest) return fault(`must not be before ${earliest}`)
  if (asked <= loan.to_pay_on) return fault('must be after to_pay_at')
  if (daysBetween(loan.to_pay_on, asked) > limits.duration_days_max) {
    const latest = addDays(loan.to_pay_on, limits.duration_days_max)
    return fault(`must not be after ${latest}, ${limits.duration_days_max} days after to_pay_at`)
  }
  if (loan.status === 'TO_REPAY' && asked > loan.to_repay_on && loan.postponed_at) {
    return { code: 'already_postponed', name: 'to_repay_at', reason: 'was postponed before' }
  }
  return null
}

export function describeChanges(changes: Readonly<Record<string, readonly [string, string]>>) {
  return Object.entries(changes)
    .filter(([, [before, after]]) => before !== after)
    .map(([name, [before, after]]) => `${name} ${before} → ${after}`)
    .join(', ')
}
