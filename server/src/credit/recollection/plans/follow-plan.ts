/** Keeps a live plan in step with its money: amounts due, debits and statuses. */
import type { Trigger } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { LoanMoneyChange } from '../../../facts.ts'
import { recordSteps, step } from '../../../platform/db/move.ts'
import { haveKeys, keysBy, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { billsLeavePlan, REPLACEABLE } from '../../bills/index.ts'
import { leavePlan, notePlanDue } from '../../loans/index.ts'
import { closeSettledCase } from '../cases/close-case.ts'
import { openPlan } from './open-plan.ts'
import { type DebitTerms, keepDebits, lockDebits } from './plan-debits.ts'
import {
  hasBegun,
  isDone,
  OPEN_STATUSES,
  oldestDue,
  type Plan,
  TRIGGERS,
  withDue,
  withStatuses,
} from './rules.ts'
import { writePlan } from './store.ts'

/**
 * Updates a live plan's amounts due, debits and statuses, and returns the updated plan. A draft or
 * ended plan stays unchanged.
 */
export async function followPlan(tx: Tx, before: Plan, terms: DebitTerms = {}): Promise<Plan> {
  if (!OPEN_STATUSES.includes(before.plan.status)) return before
  const debits = await lockDebits(tx, before)
  const due = withStatuses(withDue(before, tx.today), debits)
  const steps = stepsOf(due, tx.today)
  const status = steps.at(-1)?.step.to ?? due.plan.status
  const after = { ...due, plan: { ...due.plan, status } }
  await writePlan(tx, before, after)
  recordInstallments(tx, before, after)
  await keepDebits(tx, after, debits, terms)
  const { partner_id, is_contractual } = after.plan
  if (is_contractual) await notePlanDue(tx, partner_id, oldestDue(after))
  for (const { step, reason } of steps) recordSteps(tx, [step], reason)
  if (!OPEN_STATUSES.includes(status)) await releaseDebts(tx, after)
  return after
}

const LAPSED = 'what it was for is not owed any more'

/**
 * The transitions of the plan itself: it begins, and completes or is canceled once no installment
 * expects money.
 */
function stepsOf(state: Plan, today: Day) {
  const { plan, has_lapsed } = state
  const begin = plan.status === 'SCHEDULED' && hasBegun(state, today)
  const begun = begin ? [{ step: step('installment_plan', plan, 'begin'), reason: null }] : []
  if (!isDone(state)) return begun
  const now = { ...plan, status: begun[0]?.step.to ?? plan.status }
  const trigger = has_lapsed ? 'cancel' : 'complete'
  const reason = has_lapsed ? LAPSED : null
  return [...begun, { step: step('installment_plan', now, trigger), reason }]
}

/**
 * Records the status changes of installments that `writePlan` has stored, grouped by new status.
 */
export function recordInstallments(
  tx: Tx,
  before: Plan,
  after: Plan,
  trigger: Trigger<'installment'> | null = null,
  reason: string | null = null,
): void {
  const changed = after.installments.flatMap((now, index) => {
    const was = before.installments[index]!
    return now.status === was.status ? [] : [{ now, was }]
  })
  for (const group of Map.groupBy(changed, ({ now }) => now.status).values()) {
    const reached = trigger ?? TRIGGERS[group[0]!.now.status]
    assert(reached, 'an installment never becomes a draft again')
    const steps = group.map(({ was }) => step('installment', was, reached))
    recordSteps(tx, steps, reason)
  }
}

/** Resumes collecting an ended plan's debts, and closes its case if all is settled. */
export async function releaseDebts(tx: Tx, { plan }: Plan): Promise<void> {
  const loan_ids = await leavePlan(tx, plan)
  await billsLeavePlan(tx, plan, loan_ids)
  const { partner_id, case_id } = plan
  if (case_id) await closeSettledCase(tx, { partner_id, id: case_id })
}

/**
 * Whether a plan settles a loan `l`, a bill with one of the loan's lines, or a bill that may get
 * one when corrected.
 */
export const IS_IN_PLAN: RawBuilder<boolean> = sql`(l.installment_plan_id is not null
  or exists (select from bill_lines i
    join bills b on b.partner_id = i.partner_id and b.id = i.bill_id
    where i.partner_id = l.partner_id and i.loan_id = l.id and b.installment_plan_id is not null)
  or exists (select from bills b where b.status in ${REPLACEABLE}
    and b.installment_plan_id is not null
    and b.partner_id = l.partner_id and b.payer_id = l.payer_id))`

/** Updates plans after loans' money has changed other than through an installment. */
export async function followLoanMoney(
  tx: Tx,
  { changes }: { changes: readonly LoanMoneyChange[] },
): Promise<void> {
  const payments = [...new Set(changes.map(change => change.payment_id))]
  for (const payment_id of payments) {
    const own = changes.filter(change => change.payment_id === payment_id)
    const loans = keysBy(own, 'loan_id')
    for (const plan of await plansBehind(tx, loans, payment_id)) {
      await followPlan(tx, await openPlan(tx, plan))
    }
  }
}

/**
 * The plans that cover these loans or bills with their lines. Excludes plans with shares of the
 * payment, or of the payment that it reverses: those are updated once the payment is booked.
 */
async function plansBehind(
  tx: Tx,
  loans: readonly RowKey[],
  payment_id: string | null,
): Promise<RowKey[]> {
  return tx.all(sql<RowKey>`
    with plan as (select l.partner_id, l.installment_plan_id as id from loans l
        where ${haveKeys(loans, 'l')} and l.installment_plan_id is not null
      union select b.partner_id, b.installment_plan_id
        from bill_lines i join bills b on b.partner_id = i.partner_id and b.id = i.bill_id
        where ${haveKeys(loans, 'i', 'loan_id')} and b.installment_plan_id is not null)
    select partner_id, id from plan where not exists (
      select from plan_installments i
      join installment_parts p on p.partner_id = i.partner_id and p.installment_id = i.id
      join installment_shares s on s.partner_id = p.partner_id and s.part_id = p.id
      where i.partner_id = plan.partner_id and i.plan_id = plan.id
        and (s.payment_id = ${payment_id} and s.voided_at is null
          or s.payment_id = (select charged_back_payment_id from payments
            where partner_id = plan.partner_id and id = ${payment_id})))
    order by id`)
}
