/** Reads the plan in a request, and checks its dates and amounts. Pure. */
import type { NewInstallmentPlan, NewRecollectionPlan } from '@headroom/contract'
import { isTargetDay } from '../../../platform/kit/calendar.ts'
import { addMonths, type Day, readWireDay } from '../../../platform/kit/dates.ts'
import { fromWire, splitEvenly } from '../../../platform/kit/money.ts'
import type { InvalidParam } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import { type Debt, owedAfter } from './compute.ts'

export interface Part {
  readonly kind: 'LOAN' | 'BILL' | 'FEES'
  /** The id of the loan or bill; null for fees. */
  readonly id: string | null
  readonly amount: bigint
}

export interface PlannedInstallment {
  readonly index: number
  readonly due_on: Day
  readonly parts: readonly Part[]
  readonly partner_reference: string | null
}

export interface PlanRequest {
  readonly method: string
  readonly is_contractual: boolean
  readonly installments: readonly PlannedInstallment[]
}

export interface ReadPlan {
  readonly request: PlanRequest
  readonly faults: readonly InvalidParam[]
  readonly method: string | undefined
  /** Whether all installments could be read. */
  readonly is_complete: boolean
}

type InstallmentRequest = NewRecollectionPlan['installments'][number] & {
  reference?: string | null
}

/** Reads a plan within a case. */
export function readRecollectionPlan(body: WellFormed<NewRecollectionPlan>): ReadPlan {
  const { repayment_method, payment_method, is_contractual = false } = body
  const faults: InvalidParam[] = []
  if (!repayment_method && !payment_method) {
    faults.push({ name: 'repayment_method', reason: 'is required' })
  } else if (repayment_method && payment_method && repayment_method !== payment_method) {
    faults.push({ name: 'payment_method', reason: 'is not the same as repayment_method' })
  }
  const spread = spreadFees(body, faults)
  const given = body.installments ?? []
  const installments = readInstallments(given, spread, faults)
  const method = repayment_method ?? payment_method
  const request = { method: method ?? 'SCT', is_contractual, installments }
  return { request, faults, method, is_complete: areAllRead(installments, given) }
}

/** Reads a plan without a case or fees. */
export function readPlan(body: WellFormed<NewInstallmentPlan>): ReadPlan {
  const faults: InvalidParam[] = []
  const given = body.installments ?? []
  const requests = given.map(one => one && { ...one, bills: [], recollection_fees: 0 })
  const installments = readInstallments(requests, null, faults)
  const method = body.payment_method
  const request = { method: method ?? 'SCT', is_contractual: false, installments }
  return { request, faults, method, is_complete: areAllRead(installments, given) }
}

function areAllRead(read: readonly PlannedInstallment[], given: readonly unknown[]): boolean {
  return given.length > 0 && read.length === given.length
}

/** The fees of each installment, if the request gives only their total; otherwise null. */
function spreadFees(
  { installments = [], recollection_fees }: WellFormed<NewRecollectionPlan>,
  faults: InvalidParam[],
): bigint[] | null {
  const each = installments.map(one => one?.recollection_fees)
  const given = recollection_fees !== undefined && !each.includes(undefined)
  if (!given || each.length === 0) return null
  const carried = each.reduce<number>((sum, fees) => sum + fees!, 0)
  if (carried === recollection_fees) return null
  if (carried === 0) return splitEvenly(fromWire(recollection_fees), installments.length)
  const reason = `is not ${carried}, the sum of those of the installments`
  faults.push({ name: 'recollection_fees', reason })
  return null
}

function readInstallments(
  requests: readonly (WellFormed<InstallmentRequest> | undefined)[],
  spread: readonly bigint[] | null,
  faults: InvalidParam[],
): PlannedInstallment[] {
  return requests.flatMap((one, index) => {
    if (!isComplete(one)) return []
    const at = `installments.${index}`
    const due_on = readWireDay(one.date)
    if (!due_on) faults.push({ name: `${at}.date`, reason: 'is not a day' })
    const fees = spread?.[index] ?? fromWire(one.recollection_fees)
    const owed: Part[] = [
      ...one.loans.map(p => ({ kind: 'LOAN' as const, id: p.loan_id, amount: fromWire(p.amount) })),
      ...one.bills.map(p => ({ kind: 'BILL' as const, id: p.bill_id, amount: fromWire(p.amount) })),
    ]
    const ids = owed.map(part => part.id)
    if (new Set(ids).size < ids.length) {
      faults.push({ name: at, reason: 'names a loan or a bill twice' })
    }
    // Fees given only as a total are added to the installments' amounts.
    const given = owed.reduce((sum, part) => sum + part.amount, spread ? 0n : fees)
    if (given !== fromWire(one.amount)) {
      const reason = `is not ${given}, the sum of its loans, bills and recollection fees`
      faults.push({ name: `${at}.amount`, reason })
    }
    const parts = fees > 0n ? [...owed, { kind: 'FEES' as const, id: null, amount: fees }] : owed
    if (parts.length === 0) faults.push({ name: at, reason: 'pays nothing' })
    const partner_reference = one.reference ?? null
    return [{ index, due_on: due_on ?? ('9999-12-31' as Day), parts, partner_reference }]
  })
}

/** Whether an installment has all required fields. If not, it is not checked further. */
function isComplete(one: WellFormed<InstallmentRequest> | undefined): one is InstallmentRequest {
  if (!one?.date || one.amount === undefined || one.recollection_fees === undefined) return false
  const hasBoth = (part: object | undefined) => !!part && Object.keys(part).length === 2
  return !!one.loans?.every(hasBoth) && !!one.bills?.every(hasBoth)
}

/**
 * The most months between the first possible day and the last installment. No computed plan needs
 * as many.
 */
const END_MONTHS_MAX = 1200

/** The errors in a plan's dates, which must be ascending banking days, not before `first`. */
export function dayFaults(installments: readonly PlannedInstallment[], first: Day): InvalidParam[] {
  const latest = addMonths(first, END_MONTHS_MAX)
  return installments.flatMap(({ index, due_on }, at) => {
    const name = `installments.${index}.date`
    const before = installments[at - 1]?.due_on
    if (before && due_on <= before) return [{ name, reason: 'must be after the one before' }]
    if (due_on < first) return [{ name, reason: `is before ${first}, the first possible day` }]
    if (due_on > latest) return [{ name, reason: `is after ${latest}, the latest possible day` }]
    if (!isTargetDay(due_on)) return [{ name, reason: 'is not a banking day' }]
    return []
  })
}

/** The faults for debts that a plan would overpay. */
export function amountFaults(
  installments: readonly PlannedInstallment[],
  debts: readonly Debt[],
): InvalidParam[] {
  const last = installments.at(-1)!.due_on
  return debts.flatMap(debt => {
    const pays = installments.flatMap(({ due_on, parts }) =>
      parts.filter(part => part.id === debt.id).map(({ amount }) => ({ on: due_on, amount })),
    )
    const left = owedAfter(debt, pays, last)
    if (left >= 0n) return []
    const what = debt.kind === 'LOAN' ? 'loan' : 'bill'
    const reason = `pay ${-left} cents more than ${what} ${debt.id} owes by then`
    return [{ name: 'installments', reason }]
  })
}
