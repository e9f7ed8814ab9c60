/** Rules for a bill's period, due date and amounts. Pure. */
import type { Status } from '@headroom/contract'
import { nthTargetDayOfMonth } from '../../platform/kit/calendar.ts'
import { addDays, addMonths, type Day, firstOfMonth } from '../../platform/kit/dates.ts'
import { maxAmount, minAmount, share } from '../../platform/kit/money.ts'
import { interestTo, type PrincipalStep } from '../loans/interest.ts'

export interface Period {
  readonly from: Day
  /** The last day, inclusive. */
  readonly to: Day
  readonly due_on: Day
}

/** The most loans of a partner's own bill that one transaction bills or recomputes. */
export const LOANS_SLICE = 500

/**
 * A bill is debited and due on the third banking day of the month after its period, unless it is
 * sent late.
 */
const DUE_BANKING_DAY = 3

/** The period billed in the month of `today`: the month before. */
export function periodBilledIn(today: Day): Period {
  const first = firstOfMonth(today)
  return {
    from: addMonths(first, -1),
    to: addDays(first, -1),
    due_on: nthTargetDayOfMonth(first, DUE_BANKING_DAY),
  }
}

/** The day of the month on which bills are validated and sent: its first banking day. */
export function sendingDay(today: Day): Day {
  return nthTargetDayOfMonth(firstOfMonth(today), 1)
}

/** The first day after a period. Interest up to this day includes the period's last day. */
export function endOf(period: Pick<Period, 'to'>): Day {
  return addDays(period.to, 1)
}

/**
 * A bill's line for a loan: the rounded interest up to the period's end less what was billed
 * before, so that all bills of a loan add up to the formula.
 */
export function lineAmount(
  steps: readonly PrincipalStep[],
  rate_ppm: number,
  billed: bigint,
  end: Day,
): bigint {
  return interestTo(steps, rate_ppm, end) - billed
}

/**
 * Whether an issued bill can still be replaced: no money was received since it was issued, and its
 * payments are canceled or still SCHEDULED, with no debit frozen (due by `frozen_until`).
 */
export function isReplaceable(
  bill: { status: Status<'bill'>; amount_paid: bigint; amount_prepaid: bigint },
  payments: readonly { status: Status<'payment'>; mandate_id: string | null; scheduled_on: Day }[],
  frozen_until: Day,
): boolean {
  if (bill.amount_paid > bill.amount_prepaid) return false
  // The debit of a VALIDATED bill is held until the bill is sent, even past its date.
  const isFrozen = (p: { mandate_id: string | null; scheduled_on: Day }) =>
    bill.status !== 'VALIDATED' && p.mandate_id !== null && p.scheduled_on <= frozen_until
  return payments
    .filter(p => p.status !== 'CANCELED')
    .every(p => p.status === 'SCHEDULED' && !isFrozen(p))
}

/**
 * Allocates a loan's paid interest to its bill lines. Money paid for a given bill (`own`) stays
 * with that bill; the rest pays the oldest lines. A negative line counts as settled, and its amount
 * pays the other lines like money.
 */
export function allocateToLines(
  paid: bigint,
  lines: readonly { amount: bigint; own: bigint }[],
): bigint[] {
  const shares = lines.map(({ amount, own }) => minAmount(amount, own))
  let left = shares.reduce((sum, share) => sum - share, paid)
  return lines.map(({ amount }, index) => {
    const open = amount - shares[index]!
    const more = minAmount(open, left)
    if (more <= 0n) return shares[index]!
    left -= more
    return shares[index]! + more
  })
}

/**
 * The part of each line's share that is credited rather than paid: positive if later bills credit
 * the line, negative if the line itself credits unpaid interest. The parts add up to 0 once
 * everything is billed. `paid` is the loan's paid interest now; `taken` is the paid interest that a
 * line credited. Money pays the bill it was paid for, then the oldest lines.
 */
export function creditedShares(
  paid: bigint,
  lines: readonly { amount: bigint; own: bigint; taken: bigint }[],
  shares: readonly bigint[],
): bigint[] {
  const received = lines.reduce((sum, line) => sum + line.taken, paid)
  const own = lines.map(line => minAmount(line.amount, line.own))
  const billed = (index: number) => lines[index]!.amount > 0n
  let free = own.reduce((left, amount, index) => (billed(index) ? left - amount : left), received)
  return shares.map((share, index) => {
    const more = share - own[index]!
    if (!billed(index)) return minAmount(share + lines[index]!.taken, 0n)
    if (more <= 0n) return 0n
    const money = minAmount(free, more)
    if (money <= 0n) return more
    free -= money
    return more - money
  })
}

/**
 * Cents of a loan's mark-up that have been paid. `open` are the unsettled lines of its valid bills.
 * The lender's interest is paid first, so the open part of a line is mark-up; later credits of the
 * line reduce interest and mark-up in proportion. Mark-up billed beyond what accrued is not owed.
 */
export function collectedMarkUp(
  loan: { interest_paid: bigint; mark_up_accrued: bigint; mark_up_billed: bigint },
  open: readonly { amount: bigint; mark_up: bigint; paid: bigint; credited: bigint }[],
): bigint {
  const unpaid = open.map(({ amount, mark_up, paid, credited }) =>
    maxAmount(0n, minAmount(share(mark_up, amount - credited, amount), amount - paid)),
  )
  const owed = minAmount(loan.mark_up_accrued, loan.mark_up_billed)
  const collected = unpaid.reduce((left, cents) => left - cents, owed)
  return maxAmount(minAmount(collected, loan.interest_paid), 0n)
}
