/** When a loan is collected, and from when on its repayment date may be. Pure. */
import { debitsUntil, frozenUntil } from '../../money/payments/dates.ts'
import { addTargetDays, isTargetDay, onOrAfterTargetDay } from '../../platform/kit/calendar.ts'
import { type Day, daysBetween, max, momentOf, parisDay } from '../../platform/kit/dates.ts'

export type RepaymentMethod = 'DIRECT_DEBIT' | 'SCT' | 'P2P'

/**
 * The day a direct debit falls on: the agreed day, rolled forward to a TARGET day, or the first
 * one that the notice still allows when the loan is shorter than that.
 */
export function collectionDay(to_repay_on: Day, today: Day): Day {
  return max(onOrAfterTargetDay(to_repay_on), debitsUntil(today))
}

/**
 * The day on which what is due on a day is collected, or paid by transfer. A direct debit that was
 * agreed on anew lies at `free_from` at the earliest; null where its notice alone counts.
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
 * The first day that a loan's debit may have or get, when its day or method is asked to be another
 * (domain.md, PATCH): exactly three TARGET days ahead is early enough until the cut-off of its
 * product (Paris time, HH:MM) on a TARGET day.
 */
export function firstFreeDebitDay(now: Date, cut_off: string): Day {
  const today = parisDay(now)
  const [hour, minute] = cut_off.split(':').map(Number)
  const passed = isTargetDay(today) && now >= momentOf(today, hour!, minute!)
  const day = frozenUntil(today)
  return passed ? addTargetDays(day, 1) : day
}

/** The earliest repayment day that may be asked for (domain.md, PATCH). */
export function earliestToRepay(method: RepaymentMethod, now: Date, cut_off: string): Day {
  return method === 'DIRECT_DEBIT' ? firstFreeDebitDay(now, cut_off) : parisDay(now)
}

/** A debit as it stands, or stood at a moment; moments as JSON carries them. */
interface Debit {
  readonly status: string
  readonly scheduled_on: Day
  readonly planned_at: string
  /** When it took its status. */
  readonly changed_at: string
  readonly came_back: boolean
}

/** What was ever planned to collect something that is due. */
export interface Debits {
  readonly fell_due_on: Day
  readonly debits: readonly Debit[]
}

const TO_COME = ['SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT']

/**
 * The day since which, without a gap, a debit has been to come: one in the place of another that
 * was taken back has the day of that. Null when none is to come, or when one for what fell due on
 * that day or later failed or came back.
 */
export function debitSince(of: Debits | null): Day | null {
  const debits = (of?.debits ?? []).map(debit => ({
    ...debit,
    to_come: TO_COME.includes(debit.status),
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

/** What tells from when on a loan is late. */
export interface DueLoan {
  /** The agreed day of what it owes next. */
  readonly due_on: Day
  readonly repayment_method: string
  readonly paid_out_on: Day | null
  /** The debits of what it owes next; null when none is to come. */
  readonly debits: Debits | null
}

/**
 * The day after which a loan is late: the agreed one, rolled forward to a TARGET day. A loan
 * shorter than a debit's notice is debited at the earliest day possible, and not late until then.
 */
export function lateFrom({ due_on, repayment_method, paid_out_on }: Omit<DueLoan, 'debits'>): Day {
  const due = onOrAfterTargetDay(due_on)
  if (repayment_method !== 'DIRECT_DEBIT' || paid_out_on === null) return due
  return max(due, debitsUntil(paid_out_on))
}

/** What tells from when on reminders, blocks and cases count as well. */
export interface DunnedLoan extends DueLoan {
  /** Since when it is known that all it owes is refunds that became principal again, or null. */
  readonly reclaimed_known_on: Day | null
}

/**
 * The day that reminders, blocks and cases count from: the one the loan is late from. Where all it
 * owes is refunds that became principal again, it is no earlier than the day that became known
 * (domain.md, Returns).
 */
export function dunnedFrom({ reclaimed_known_on, ...loan }: DunnedLoan): Day {
  const from = lateFrom(loan)
  return reclaimed_known_on ? max(from, reclaimed_known_on) : from
}

/**
 * Whether a loan waits for a debit that was planned by the day it would be late from, and is not
 * late meanwhile. One that is planned later changes nothing: it is late until it is paid.
 */
export function waitsForDebit(loan: DueLoan): boolean {
  const since = debitSince(loan.debits)
  return since !== null && since <= lateFrom(loan)
}

/** A bill that is due, and the days that each product whose loans are on it leaves it. */
export interface DueBill {
  readonly due_on: Day
  readonly grace_days: readonly number[]
}

/** Whether an unpaid bill has been due for its grace: the longest of those of its products. */
export function isInArrears({ due_on, grace_days }: DueBill, today: Day): boolean {
  return daysBetween(due_on, today) >= Math.max(0, ...grace_days)
}

/** Calendar days late (domain.md, Loan), 0 when it is not. */
export function daysLate(late_from: Day, today: Day): number {
  return Math.max(0, daysBetween(late_from, today))
}

/** Core debits may come back for five TARGET days, B2B ones for three. */
export function revocableUntil(value_on: Day, scheme: 'CORE' | 'B2B'): Day {
  return addTargetDays(value_on, scheme === 'B2B' ? 3 : 5)
}
