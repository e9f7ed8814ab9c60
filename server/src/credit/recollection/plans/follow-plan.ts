/** Keeps a live plan in step with its money: amounts due, payments and statuses. */
import { type RawBuilder, sql } from 'kysely'
import type { LoanMoneyChange } from '../../../facts.ts'
import type { PaymentRow } from '../../../money/payments/index.ts'
import { type Actor, move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { compare, type Day, max } from '../../../platform/kit/dates.ts'
import { minAmount } from '../../../platform/kit/money.ts'
import { billsLeavePlan, PAYER } from '../../bills/index.ts'
import { leavePlan, notePlanDue } from '../../loans/index.ts'
import { closeSettledCase } from '../cases/close-case.ts'
import { stillDue } from './compute.ts'
import { readDebts } from './debts.ts'
import { keepDebits, lockDebits } from './plan-debits.ts'
import { installmentStatus, openAmount, TRIGGERS } from './rules.ts'
import {
  type InstallmentRow,
  lockPlan,
  type PartRow,
  type PlanRow,
  readInstallments,
  readParts,
  setDue,
  setPaidOn,
} from './store.ts'

export const LIVE = ['SCHEDULED', 'ACTIVE']

/** A plan with its installments and their parts. */
export interface PlanState {
  readonly plan: PlanRow
  readonly installments: readonly InstallmentRow[]
  readonly parts: readonly PartRow[]
}

/** The loans of a plan and of its bills; their money must be locked before the plan. */
export async function loansOfPlan(tx: Tx, plan_id: string): Promise<string[]> {
  const rows = await tx.all(sql<{ loan_id: string }>`
    select p.loan_id from installment_parts p join plan_installments i on i.id = p.installment_id
    where i.plan_id = ${plan_id} and p.loan_id is not null
    union select l.loan_id from installment_parts p
    join plan_installments i on i.id = p.installment_id
    join bills b on b.id = p.bill_id
    join bills v on v.payer_id = b.payer_id and v.period_from = b.period_from
    join bill_lines l on l.bill_id = v.id
    where i.plan_id = ${plan_id} order by 1`)
  return rows.map(row => row.loan_id)
}

/** Locks a plan and reads it whole; the caller has locked the loans behind it. */
export async function lockPlanState(tx: Tx, plan_id: string): Promise<PlanState> {
  const plan = await lockPlan(tx, plan_id)
  if (!plan) throw new Error(`plan ${plan_id} is gone`)
  return {
    plan,
    installments: await readInstallments(tx, plan_id),
    parts: await readParts(tx, plan_id),
  }
}

/**
 * Updates everything that follows from a plan's money. A plan that has ended is left unchanged.
 * Debits planned because the repayment method changed are dated `free_from` at the earliest. A
 * debit may replace one that was recalled.
 */
export async function followPlan(
  tx: Tx,
  actor: Actor,
  plan_id: string,
  free_from: Day | null = null,
  recalled_payment_id: string | null = null,
): Promise<void> {
  const before = await lockPlanState(tx, plan_id)
  if (!LIVE.includes(before.plan.status)) return
  const state = await withDue(tx, before)
  const debits = await lockDebits(tx, state.installments)
  const installments = await moveInstallments(tx, actor, state, debits)
  const open = installments.map(one => ({ ...one, open: openIn(state, one.id) }))
  await keepDebits(tx, actor, state.plan, open, debits, { free_from, recalled_payment_id })
  await noteLateness(tx, { ...state, installments })
  await movePlan(tx, actor, { ...state, installments })
}

/** Recomputes the amounts due of a plan's parts, and nothing else. */
export async function recomputeDue(tx: Tx, plan_id: string): Promise<void> {
  await withDue(tx, await lockPlanState(tx, plan_id))
}

/** The open amount of an installment, in cents. */
export function openIn({ parts }: PlanState, installment_id: string): bigint {
  return parts
    .filter(part => part.installment_id === installment_id)
    .reduce((sum, part) => sum + openAmount(part), 0n)
}

/** Recomputes the amount due of each part, which early payments reduce (domain.md, Plans). */
async function withDue(tx: Tx, state: PlanState): Promise<PlanState> {
  const dayOf = new Map(state.installments.map(one => [one.id, one.due_on]))
  const debts = await readDebts(tx, {
    loan_ids: idsOf(state.parts, 'loan_id'),
    bill_ids: idsOf(state.parts, 'bill_id'),
  })
  const due = new Map<string, bigint>()
  for (const debt of debts) {
    const own = state.parts.filter(part => (part.loan_id ?? part.bill_id) === debt.id)
    // An underpayment of one part is not covered by another.
    const open = own.map(part => ({
      due_on: dayOf.get(part.installment_id)!,
      open: part.amount > part.paid ? part.amount - part.paid : 0n,
    }))
    const cents = stillDue(debt, open, tx.today)
    for (const [index, part] of own.entries()) {
      const wanted = part.paid + cents[index]!
      due.set(part.id, minAmount(wanted, part.amount))
    }
  }
  const asked = state.parts.map(part => ({ ...part, due: due.get(part.id) ?? part.due }))
  const parts = await withoutLapsedFees(tx, state.plan, asked)
  await setDue(
    tx,
    parts.filter((part, index) => part.due !== state.parts[index]!.due),
  )
  return { ...state, parts }
}

/** Waives collection fees once the debts of a plan have lapsed. */
async function withoutLapsedFees(
  tx: Tx,
  plan: PlanRow,
  parts: readonly PartRow[],
): Promise<readonly PartRow[]> {
  const owes = parts.some(part => part.kind !== 'FEES' && openAmount(part) > 0n)
  if (owes || !(await hasLapsed(tx, plan))) return parts
  return parts.map(part => (part.kind === 'FEES' ? { ...part, due: part.paid } : part))
}

export function idsOf(parts: readonly PartRow[], field: 'loan_id' | 'bill_id'): string[] {
  return [...new Set(parts.flatMap(part => part[field] ?? []))]
}

async function moveInstallments(
  tx: Tx,
  actor: Actor,
  { installments, parts }: PlanState,
  debits: readonly PaymentRow[],
): Promise<InstallmentRow[]> {
  const returned = await returnedOf(tx, debits)
  const failed = (id: string) =>
    debits.some(d => d.installment_id === id && (d.status === 'FAILED' || returned.has(d.id)))
  const after = installments.map(one => {
    const own = parts.filter(part => part.installment_id === one.id)
    return { ...one, status: installmentStatus(own, failed(one.id)) }
  })
  const changed = after.filter((one, index) => one.status !== installments[index]!.status)
  for (const [status, group] of Map.groupBy(changed, one => one.status)) {
    const old = group.map(one => installments.find(before => before.id === one.id)!)
    await move(tx, actor, 'installment', old, TRIGGERS[status])
  }
  await notePaidOn(tx, after)
  return after
}

async function returnedOf(tx: Tx, debits: readonly PaymentRow[]): Promise<Set<string>> {
  const rows = await tx.all(sql<{ id: string }>`
    select charged_back_payment_id as id from payments
    where charged_back_payment_id = any(${debits.map(d => d.id)}::uuid[])`)
  return new Set(rows.map(row => row.id))
}

async function notePaidOn(tx: Tx, installments: readonly InstallmentRow[]): Promise<void> {
  const rows = await tx.all(sql<{ id: string; paid_on: InstallmentRow['paid_on'] }>`
    select p.installment_id as id, max(s.value_on) as paid_on
    from installment_shares s join installment_parts p on p.id = s.part_id
    where s.voided_at is null and p.installment_id = any(${installments.map(i => i.id)}::uuid[])
    group by p.installment_id`)
  const paid = new Map(rows.map(row => [row.id, row.paid_on]))
  const wanted = installments.map(({ id }) => ({ id, paid_on: paid.get(id) ?? null }))
  await setPaidOn(
    tx,
    wanted.filter((one, index) => one.paid_on !== installments[index]!.paid_on),
  )
}

/** Lateness of a contractual plan's loans counts from the oldest unpaid installment. */
async function noteLateness(tx: Tx, { plan, installments, parts }: PlanState): Promise<void> {
  if (!plan.is_contractual) return
  const due = idsOf(parts, 'loan_id').map(loan_id => {
    const open = parts.filter(part => part.loan_id === loan_id && openAmount(part) > 0n)
    const days = open.map(part => installments.find(i => i.id === part.installment_id)!.due_on)
    return { loan_id, due_on: days.sort(compare)[0] ?? null }
  })
  await notePlanDue(tx, due)
}

const SETTLED = ['PAID', 'CANCELED']
const LAPSED = 'what it was for is not owed any more'

async function movePlan(tx: Tx, actor: Actor, state: PlanState): Promise<void> {
  const { installments, plan, parts } = state
  const done = installments.every(one => SETTLED.includes(one.status))
  const begun = done || parts.some(part => part.paid > 0n) || installments[0]!.due_on <= tx.today
  let status = plan.status
  if (status === 'SCHEDULED' && begun) {
    status = (await move(tx, actor, 'installment_plan', [plan], 'begin'))[0]!
  }
  if (!done) return
  const lapsed = await hasLapsed(tx, plan)
  const [trigger, reason] = lapsed ? (['cancel', LAPSED] as const) : (['complete'] as const)
  await move(tx, actor, 'installment_plan', [{ ...plan, status }], trigger, reason)
  await releaseDebts(tx, actor, plan)
}

/**
 * Whether some debt of a plan lapsed without being repaid: it was written off, its payout was
 * returned, or its bill is void without a replacement.
 */
async function hasLapsed(tx: Tx, plan: PlanRow): Promise<boolean> {
  const loan_ids = await loansOfPlan(tx, plan.id)
  const { lapsed } = await tx.one(sql<{ lapsed: boolean }>`
    select exists (select from loans where id = any(${loan_ids}::uuid[])
        and (written_off_on is not null or status = 'ISSUE_DETECTED'))
      or exists (select from plan_installments i
        join installment_parts p on p.installment_id = i.id join bills b on b.id = p.bill_id
        where i.plan_id = ${plan.id} and b.status = 'INVALID' and not exists (select from bills v
          where v.payer_id = b.payer_id and v.period_from = b.period_from
            and v.status <> 'INVALID')) as lapsed`)
  return lapsed
}

/** Releases the debts of an ended plan to their own collection: the rest is due. */
export async function releaseDebts(tx: Tx, actor: Actor, plan: PlanRow): Promise<void> {
  const loan_ids = await leavePlan(tx, actor, plan.id)
  await billsLeavePlan(tx, actor, plan.id, loan_ids)
  if (plan.case_id) await closeSettledCase(tx, actor, plan.case_id)
}

/**
 * Whether a plan settles a loan `l`, a bill with one of its lines, or a bill that may get one when
 * corrected.
 */
export const IS_IN_PLAN: RawBuilder<boolean> = sql`(l.installment_plan_id is not null
  or exists (select from bill_lines i join bills b on b.id = i.bill_id
    where i.loan_id = l.id and b.installment_plan_id is not null)
  or exists (select from bills b where b.status = 'TO_PAY' and b.installment_plan_id is not null
    and b.payer_id = ${PAYER}))`

/** Updates plans after loans' money changed other than through an installment. */
export async function followLoanMoney(
  tx: Tx,
  { changes }: { changes: readonly LoanMoneyChange[] },
  actor: Actor,
): Promise<void> {
  const payments = new Map(changes.map(change => [change.loan_id, change.payment_id]))
  const loan_ids = [...payments.keys()]
  const plans = await tx.all(sql<{ id: string; loan_id: string }>`
    select l.installment_plan_id as id, l.id as loan_id from loans l
    where l.id = any(${loan_ids}::uuid[]) and l.installment_plan_id is not null
    union select b.installment_plan_id, i.loan_id from bill_lines i
    join bills b on b.id = i.bill_id
    where i.loan_id = any(${loan_ids}::uuid[]) and b.installment_plan_id is not null order by 1`)
  for (const [id, own] of Map.groupBy(plans, plan => plan.id)) {
    for (const payment_id of new Set(own.map(({ loan_id }) => payments.get(loan_id)!))) {
      if (!(await isOwnMoney(tx, id, payment_id))) await followPlan(tx, actor, id)
    }
  }
}

/** Whether the change comes from the plan's own payment, which updates it once booked. */
async function isOwnMoney(tx: Tx, plan_id: string, payment_id: string | null): Promise<boolean> {
  const share = await tx.maybe(sql`
    select from installment_shares s join installment_parts p on p.id = s.part_id
    join plan_installments i on i.id = p.installment_id
    where i.plan_id = ${plan_id} and (s.payment_id = ${payment_id} and s.voided_at is null
      or s.payment_id = (select charged_back_payment_id from payments where id = ${payment_id}))
    limit 1`)
  return share !== undefined
}

/** The day from which an installment's lateness counts: that of its debit, if later. */
export function lateFrom(
  { due_on }: Pick<InstallmentRow, 'due_on'>,
  debit: Pick<PaymentRow, 'scheduled_on'> | undefined,
) {
  return debit ? max(due_on, debit.scheduled_on) : due_on
}
