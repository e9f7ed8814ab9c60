/** Rules for due dates, debit dates and days past due. Pure. */
import type { Status } from '@headroom/contract'
import { debitsUntil, frozenUntil } from '../../money/payments/dates.ts'
import { addTargetDays, isTargetDay, onOrAfterTargetDay } from '../../platform/kit/calendar.ts'
import { type Day, daysBetween, max, momentOf, parisDay } from '../../platform/kit/dates.ts'

export type RepaymentMethod = 'DIRECT_DEBIT' | 'SCT' | 'P2P'

/**
 * The day of a direct debit: the agreed day rolled forward to a TARGET day, or the earliest day
 * that the notice period allows, if that is later.
 */
export function collectionDay(to_repay_on: Day, today: Day): Day {
  return max(onOrAfterTargetDay(to_repay_on), debitsUntil(today))
}

/**
 * The day on which an amount is debited, or due by transfer. A direct debit is not dated before
 * `free_from`, which is null if only the notice period limits it.
 */
export function repaymentDay(
  method: string,
  due_on: Day,
  today: Day,
  free_from: Day | null = null,
): Day {
  if (method === 'DIRECT_DEBIT') return max(collectionDay(due_on, today), free_from ?? today)
  return method === 'P2P' ? max(due_on, today) : due_on
}

/**
 * The first possible day of a changed debit: three TARGET days ahead until the product's cut-off
 * (Paris time, HH:MM) on a TARGET day, four afterwards.
 */
export function firstFreeDebitDay(now: Date, cut_off: string): Day {
  const today = parisDay(now)
  const [hour, minute] = cut_off.split(':').map(Number)
  const passed = isTargetDay(today) && now >= momentOf(today, hour!, minute!)
  const day = frozenUntil(today)
  return passed ? addTargetDays(day, 1) : day
}

/** The earliest due date that can be requested. */
export function earliestToRepay(method: RepaymentMethod, now: Date, cut_off: string): Day {
  return method === 'DIRECT_DEBIT' ? firstFreeDebitDay(now, cut_off) : parisDay(now)
}

/** A debit as of now or of a past time; timestamps are ISO strings, as in JSON. */
interface Debit {
  readonly status: Status<'payment'>
  readonly scheduled_on: Day
  readonly planned_at: string
  /** When the debit was last updated; for a canceled one, when it was canceled. */
  readonly changed_at: string
  readonly came_back: boolean
}

/** A debt's due date and its debits in any status. */
export interface Debits {
  readonly fell_due_on: Day
  readonly debits: readonly Debit[]
}

const PENDING = ['SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT']

/**
 * The day since which debits have been pending without a gap: a debit that replaced a canceled one
 * counts from the day on which the canceled one was planned. Null if none is pending, or if a debit
 * dated on or after the due date failed or was returned.
 */
export function debitSince(of: Debits | null): Day | null {
  const debits = (of?.debits ?? []).map(debit => ({
    ...debit,
    to_come: PENDING.includes(debit.status),
    from: Date.parse(debit.planned_at),
    until: Date.parse(debit.changed_at),
  }))
  const failed = debits.some(
    d => d.scheduled_on >= of!.fell_due_on && (d.status === 'FAILED' || d.came_back),
  )
  if (failed || !debits.some(d => d.to_come)) return null
  const begun = debits.filter(
    d =>
      !debits.some(
        e => e.from < d.from && (e.to_come || (e.status === 'CANCELED' && e.until >= d.from)),
      ),
  )
  return parisDay(new Date(Math.max(...begun.map(d => d.from))))
}

export interface DueLoan {
  /** The due date of the next amount owed. */
  readonly due_on: Day
  readonly repayment_method: string
  readonly paid_out_on: Day | null
  /** The debits of the next amount owed; null if none is pending. */
  readonly debits: Debits | null
}

/**
 * The day after which a loan is overdue: the due date rolled forward to a TARGET day. A loan
 * shorter than a debit's notice period is debited as early as possible, and not overdue until then.
 */
export function lateFrom({ due_on, repayment_method, paid_out_on }: Omit<DueLoan, 'debits'>): Day {
  const due = onOrAfterTargetDay(due_on)
  if (repayment_method !== 'DIRECT_DEBIT' || paid_out_on === null) return due
  return max(due, debitsUntil(paid_out_on))
}

export interface OverdueLoan extends DueLoan {
  /** If the loan owes only reclaimed refunds, the day this became known; otherwise null. */
  readonly reclaimed_known_on: Day | null
}

/**
 * The day from which reminders, blocks and cases count: the day after which the loan is overdue.
 * For a loan that owes only refunds that became principal again, it is not before the day on which
 * this became known.
 */
export function dunningStartsOn({ reclaimed_known_on, ...loan }: OverdueLoan): Day {
  const from = lateFrom(loan)
  return reclaimed_known_on ? max(from, reclaimed_known_on) : from
}

/**
 * Whether a pending debit keeps the loan from being overdue, because it was planned before the loan
 * would have been overdue. A debit planned later does not: the loan stays overdue until it is paid.
 */
export function waitsForDebit(loan: DueLoan): boolean {
  const since = debitSince(loan.debits)
  return since !== null && since <= lateFrom(loan)
}

/** A due bill, and the grace days of each product whose loans it covers. */
export interface DueBill {
  readonly due_on: Day
  readonly grace_days: readonly number[]
}

/** Whether an unpaid bill's grace period has ended: the longest among its loans' products. */
export function isInArrears({ due_on, grace_days }: DueBill, today: Day): boolean {
  return daysBetween(due_on, today) >= Math.max(0, ...grace_days)
}

/** Calendar days past due; 0 if not overdue. */
export function daysLate(late_from: Day, today: Day): number {
  return Math.max(0, daysBetween(late_from, today))
}

/**
 * The last day on which the debtor's bank can return a debit: five TARGET days after its value date
 * for Core, three for B2B.
 */
export function revocableUntil(value_on: Day, scheme: 'CORE' | 'B2B'): Day {
  return addTargetDays(value_on, scheme === 'B2B' ? 3 : 5)
}
