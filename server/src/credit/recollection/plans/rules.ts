/** Rules for the status of installments and the allocation of money to parts. Pure. */
import type { TriggerOf } from '../../../platform/db/move.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { minAmount } from '../../../platform/kit/money.ts'
import { daysLate } from '../../loans/dates.ts'

export interface PartMoney {
  readonly id: string
  readonly kind: 'LOAN' | 'BILL' | 'FEES'
  readonly due: bigint
  readonly paid: bigint
}

/** The status of an installment by its money; `failed` if its debit failed or was returned. */
export function installmentStatus(
  parts: readonly Pick<PartMoney, 'due' | 'paid'>[],
  failed: boolean,
): 'CANCELED' | 'PAID' | 'PARTIALLY_PAID' | 'ISSUE_DETECTED' | 'SCHEDULED' {
  const open = parts.reduce((sum, part) => sum + openAmount(part), 0n)
  const paid = parts.reduce((sum, part) => sum + part.paid, 0n)
  if (open === 0n) return paid > 0n ? 'PAID' : 'CANCELED'
  if (paid > 0n) return 'PARTIALLY_PAID'
  return failed ? 'ISSUE_DETECTED' : 'SCHEDULED'
}

/** The trigger that moves an installment to its status. */
export const TRIGGERS: Record<ReturnType<typeof installmentStatus>, TriggerOf<'installment'>> = {
  CANCELED: 'cancel',
  PAID: 'pay',
  PARTIALLY_PAID: 'pay_part',
  ISSUE_DETECTED: 'fail',
  SCHEDULED: 'schedule',
}

/** The unpaid cents of a part. */
export function openAmount({ due, paid }: Pick<PartMoney, 'due' | 'paid'>): bigint {
  return due > paid ? due - paid : 0n
}

/**
 * Allocates money to the parts of an installment, in their order: principal of all loans, then
 * their interest, then bills, then fees (domain.md, Recollection). `principal` is each loan's
 * outstanding principal. Returns cents per part, in the same order, and the rest.
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
      const share = minAmount(want, left)
      if (share <= 0n) continue
      shares[index]! += share
      left -= share
    }
  }
  const wanted = (index: number) => openAmount(parts[index]!) - shares[index]!
  give('LOAN', index => {
    const { principal } = parts[index]!
    const want = wanted(index)
    return minAmount(want, principal)
  })
  give('LOAN', wanted)
  give('BILL', wanted)
  give('FEES', wanted)
  return { shares, left }
}

/** Whether an unpaid installment is beyond its grace period, which breaks the plan. */
export function isBroken(due_on: Day, grace_days: number, today: Day): boolean {
  return daysLate(due_on, today) > grace_days
}
