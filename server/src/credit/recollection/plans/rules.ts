/** What an installment and a plan are, and how money is shared out over parts. Pure. */
import type { TriggerOf } from '../../../platform/db/move.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { least } from '../../../platform/kit/money.ts'
import { daysLate } from '../../loans/dates.ts'

export interface PartMoney {
  readonly id: string
  readonly kind: 'LOAN' | 'BILL' | 'FEES'
  readonly due: bigint
  readonly paid: bigint
}

/** What an installment is by its money; `failed` when its debit failed or came back. */
export function installmentStatus(
  parts: readonly Pick<PartMoney, 'due' | 'paid'>[],
  failed: boolean,
): 'CANCELED' | 'PAID' | 'PARTIALLY_PAID' | 'ISSUE_DETECTED' | 'SCHEDULED' {
  const open = parts.reduce((sum, part) => sum + openOf(part), 0n)
  const paid = parts.reduce((sum, part) => sum + part.paid, 0n)
  if (open === 0n) return paid > 0n ? 'PAID' : 'CANCELED'
  if (paid > 0n) return 'PARTIALLY_PAID'
  return failed ? 'ISSUE_DETECTED' : 'SCHEDULED'
}

/** The trigger that makes an installment what its money says. */
export const TRIGGERS: Record<ReturnType<typeof installmentStatus>, TriggerOf<'installment'>> = {
  CANCELED: 'cancel',
  PAID: 'pay',
  PARTIALLY_PAID: 'pay_part',
  ISSUE_DETECTED: 'fail',
  SCHEDULED: 'schedule',
}

/** Cents still to be paid of a part. */
export function openOf({ due, paid }: Pick<PartMoney, 'due' | 'paid'>): bigint {
  return due > paid ? due - paid : 0n
}

/**
 * Shares money out over the parts of an installment, given in their order: principal of all loans
 * first, then their interest, then bills, then fees (domain.md, Recollection). `principal` is what
 * each loan still owes of it. Answers cents by part, in the same order, and what is left.
 */
export function shareOut(
  amount: bigint,
  parts: readonly (PartMoney & { readonly principal: bigint })[],
): { shares: bigint[]; left: bigint } {
  const shares = parts.map(() => 0n)
  let left = amount
  const give = (kind: PartMoney['kind'], wantOf: (index: number) => bigint) => {
    for (const [index, part] of parts.entries()) {
      if (part.kind !== kind) continue
      const want = wantOf(index)
      const share = least(want, left)
      if (share <= 0n) continue
      shares[index]! += share
      left -= share
    }
  }
  const wanted = (index: number) => openOf(parts[index]!) - shares[index]!
  give('LOAN', index => {
    const { principal } = parts[index]!
    const want = wanted(index)
    return least(want, principal)
  })
  give('LOAN', wanted)
  give('BILL', wanted)
  give('FEES', wanted)
  return { shares, left }
}

/** Whether an installment that is not paid breaks its plan: beyond the days of grace. */
export function isBroken(due_on: Day, grace_days: number, today: Day): boolean {
  return daysLate(due_on, today) > grace_days
}
