/**
 * A plan and its rules: how money is allocated to its parts, what is still due, and the resulting
 * statuses. Pure.
 */
import type { Status, Trigger } from '@headroom/contract'
import type { Selectable } from 'kysely'
import type { CollectionPayment, PaymentName } from '../../../money/payments/index.ts'
import type { DB } from '../../../platform/db/schema.ts'
import { compare, type Day, max } from '../../../platform/kit/dates.ts'
import { minAmount } from '../../../platform/kit/money.ts'
import type { PaymentAccount } from '../../../platform/kit/payment-account.ts'
import { daysLate } from '../../loans/dates.ts'
import { type Debt, stillDue } from './compute.ts'

export const OPEN_STATUSES = ['SCHEDULED', 'ACTIVE']

export type PlanRow = Omit<Selectable<DB['installment_plans']>, 'from_account'> & {
  from_account: PaymentAccount | null
}

export type InstallmentRow = Omit<Selectable<DB['plan_installments']>, 'updated_at'>

export interface PartMoney {
  readonly id: string
  readonly kind: 'LOAN' | 'BILL' | 'FEES'
  readonly due: bigint
  readonly paid: bigint
}

/** The part of an installment that pays one debt, or fees. */
export interface Part extends PartMoney {
  readonly partner_id: string
  readonly installment_id: string
  readonly loan_id: string | null
  readonly bill_id: string | null
  /** The bill in force: `bill_id`, or its replacement. */
  readonly current_bill_id: string | null
  /** Cents as planned. `due` is lower after early payments. */
  readonly amount: bigint
  /** The payout date of its loan, or the due date of its bill. */
  readonly day: Day | null
  /** The last day on which money was received for this part. */
  readonly paid_on: Day | null
}

export interface Plan {
  readonly plan: PlanRow
  /** In order of their position. */
  readonly installments: readonly InstallmentRow[]
  /** By installment, then in the order they are paid. */
  readonly parts: readonly Part[]
  readonly debts: readonly Debt[]
  /**
   * Whether a debt lapsed without being repaid: a loan was written off or its payout was returned,
   * or a bill is void without a replacement.
   */
  readonly has_lapsed: boolean
  /**
   * Whether booking this plan's loans can affect no other plan: the borrower has no other live
   * plan, and no plan settles the partner's own bills.
   */
  readonly is_alone: boolean
}

export function idsOf(
  parts: readonly Part[],
  field: 'loan_id' | 'bill_id' | 'current_bill_id',
): string[] {
  return [...new Set(parts.flatMap(part => part[field] ?? []))]
}

/** The open amount of an installment, in cents. */
export function openIn({ parts }: Pick<Plan, 'parts'>, installment_id: string): bigint {
  return parts
    .filter(part => part.installment_id === installment_id)
    .reduce((sum, part) => sum + openAmount(part), 0n)
}

/**
 * The payment targets of a payment for installments: the installments, then the loans and bills of
 * their plan, in the order they are paid.
 */
export function namesIn({ parts }: Plan, installment_ids: readonly string[]): PaymentName[] {
  const debts = new Map<string, Part>()
  for (const part of parts) if (part.kind !== 'FEES') debts.set(part.loan_id ?? part.bill_id!, part)
  const place = ([id, { kind, day }]: [string, Part]) => `${kind === 'BILL'} ${day} ${id}`
  const ordered = [...debts].sort((a, b) => (place(a) < place(b) ? -1 : 1))
  return [
    ...installment_ids.map(id => ({ kind: 'installment' as const, id })),
    ...ordered.map(([id, { kind }]) => ({
      kind: kind === 'LOAN' ? ('loan' as const) : ('bill' as const),
      id,
    })),
  ]
}

/**
 * The status that follows from what an installment owes and was paid. `failed` means that its debit
 * failed or was returned.
 */
function installmentStatus(
  parts: readonly Pick<PartMoney, 'due' | 'paid'>[],
  failed: boolean,
): 'CANCELED' | 'PAID' | 'PARTIALLY_PAID' | 'ISSUE_DETECTED' | 'SCHEDULED' {
  const open = parts.reduce((sum, part) => sum + openAmount(part), 0n)
  const paid = parts.reduce((sum, part) => sum + part.paid, 0n)
  if (open === 0n) return paid > 0n ? 'PAID' : 'CANCELED'
  if (paid > 0n) return 'PARTIALLY_PAID'
  return failed ? 'ISSUE_DETECTED' : 'SCHEDULED'
}

export const TRIGGERS: Partial<Record<Status<'installment'>, Trigger<'installment'>>> = {
  CANCELED: 'cancel',
  PAID: 'pay',
  PARTIALLY_PAID: 'pay_part',
  ISSUE_DETECTED: 'fail',
  SCHEDULED: 'schedule',
}

export function openAmount({ due, paid }: Pick<PartMoney, 'due' | 'paid'>): bigint {
  return due > paid ? due - paid : 0n
}

/**
 * Allocates money to the parts of an installment, in their order: principal of all loans, then
 * their interest, then bills, then fees. `principal` is each loan's outstanding principal. Returns
 * cents per part, in the same order, and the rest.
 */
function allocate(
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

/** Allocates money to installments of a plan in order. Returns cents by part, and the rest. */
export function allocateToPlan(
  { parts, debts }: Plan,
  installment_ids: readonly string[],
  amount: bigint,
): { paid: Map<Part, bigint>; left: bigint } {
  const principals = new Map(debts.map(debt => [debt.id, debt.principal]))
  const paid = new Map<Part, bigint>()
  let left = amount
  for (const id of installment_ids) {
    const own = parts.filter(part => part.installment_id === id)
    const owing = own.map(p => ({ ...p, principal: principals.get(p.loan_id ?? '') ?? 0n }))
    const shared = allocate(left, owing)
    for (const [index, part] of own.entries()) {
      const share = shared.shares[index]!
      if (share === 0n) continue
      paid.set(part, share)
      if (part.loan_id) principals.set(part.loan_id, owing[index]!.principal - share)
    }
    left = shared.left
  }
  return { paid, left }
}

/**
 * Allocates an amount to the plan's open fees, in the order of its installments. `paid` holds cents
 * paid on them that the plan does not include yet.
 */
export function allocateToFees(
  { parts }: Pick<Plan, 'parts'>,
  paid: ReadonlyMap<Part, bigint>,
  amount: bigint,
): Map<Part, bigint> {
  const shares = new Map<Part, bigint>()
  let left = amount
  for (const part of parts.filter(({ kind }) => kind === 'FEES')) {
    const share = minAmount(left, openAmount(part) - (paid.get(part) ?? 0n))
    if (share <= 0n) continue
    shares.set(part, share)
    left -= share
  }
  return shares
}

export function sharesOf(
  { id: payment_id }: { readonly id: string },
  paid: ReadonlyMap<Part, bigint>,
  { value_on, revocable_until }: { value_on: Day; revocable_until: Day | null },
) {
  return [...paid].map(([{ id: part_id, partner_id }, amount]) => ({
    payment_id,
    part_id,
    partner_id,
    amount,
    value_on,
    revocable_until,
  }))
}

export function feesIn(paid: ReadonlyMap<Part, bigint>): bigint {
  return [...paid].reduce((sum, [{ kind }, cents]) => (kind === 'FEES' ? sum + cents : sum), 0n)
}

/**
 * The plan with the amount due of each part, which early payments reduce. Collection fees are
 * waived once a debt has lapsed and no debt is open.
 */
export function withDue(plan: Plan, today: Day): Plan {
  const dayOf = new Map(plan.installments.map(one => [one.id, one.due_on]))
  const due = new Map<string, bigint>()
  for (const debt of plan.debts) {
    const own = plan.parts.filter(part => (part.loan_id ?? part.bill_id) === debt.id)
    // An overpaid part does not reduce the open amount of another part.
    const open = own.map(part => ({
      due_on: dayOf.get(part.installment_id)!,
      open: part.amount > part.paid ? part.amount - part.paid : 0n,
    }))
    const cents = stillDue(debt, open, today)
    for (const [index, part] of own.entries()) {
      const wanted = part.paid + cents[index]!
      due.set(part.id, minAmount(wanted, part.amount))
    }
  }
  const parts = plan.parts.map(part => ({ ...part, due: due.get(part.id) ?? part.due }))
  const owes = parts.some(part => part.kind !== 'FEES' && openAmount(part) > 0n)
  if (owes || !plan.has_lapsed) return { ...plan, parts }
  const waived = (part: Part) => (part.kind === 'FEES' ? { ...part, due: part.paid } : part)
  return { ...plan, parts: parts.map(waived) }
}

/** The plan with the status and the last day of payment of each installment. */
export function withStatuses(plan: Plan, debits: readonly CollectionPayment[]): Plan {
  const failed = (id: string) =>
    debits.some(d => d.installment_id === id && (d.status === 'FAILED' || d.is_returned))
  const installments = plan.installments.map(one => {
    const own = plan.parts.filter(part => part.installment_id === one.id)
    const days = own.flatMap(part => part.paid_on ?? [])
    const paid_on = days.sort(compare).at(-1) ?? null
    return { ...one, paid_on, status: installmentStatus(own, failed(one.id)) }
  })
  return { ...plan, installments }
}

export function expectsNoMoney({ status }: Pick<InstallmentRow, 'status'>): boolean {
  return status === 'PAID' || status === 'CANCELED'
}

export function isDone({ installments }: Plan): boolean {
  return installments.every(expectsNoMoney)
}

export function hasBegun(plan: Plan, today: Day): boolean {
  const paid = plan.parts.some(part => part.paid > 0n)
  return isDone(plan) || paid || plan.installments[0]!.due_on <= today
}

/** The oldest unpaid due date of each loan, from which a contractual plan counts days past due. */
export function oldestDue({
  installments,
  parts,
}: Plan): { loan_id: string; due_on: Day | null }[] {
  return idsOf(parts, 'loan_id').map(loan_id => {
    const open = parts.filter(part => part.loan_id === loan_id && openAmount(part) > 0n)
    const days = open.map(part => installments.find(i => i.id === part.installment_id)!.due_on)
    return { loan_id, due_on: days.sort(compare)[0] ?? null }
  })
}

/**
 * The day from which an installment's days past due count: its due date, or the later date of its
 * debit.
 */
export function lateFrom(
  { due_on }: Pick<InstallmentRow, 'due_on'>,
  debit: Pick<CollectionPayment, 'scheduled_on'> | undefined,
): Day {
  return debit ? max(due_on, debit.scheduled_on) : due_on
}

/** Whether an unpaid installment is beyond its grace period, which breaks the plan. */
export function isBroken(due_on: Day, grace_days: number, today: Day): boolean {
  return daysLate(due_on, today) > grace_days
}
