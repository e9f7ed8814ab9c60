/**
 * Follows plans day by day, and ends them early: on request, for a newer plan, or because an
 * installment stays unpaid. The debts of an ended plan are due again.
 */
import { sql } from 'kysely'
import { isPending } from '../../../money/payments/index.ts'
import { recordSteps, step } from '../../../platform/db/move.ts'
import { followKey, type RowKey } from '../../../platform/db/of-partner.ts'
import { BEFORE_ALL_KEYS, type Paged, runIndividually } from '../../../platform/db/slices.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { JobData } from '../../../platform/jobs/index.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { reviewLate } from '../../delinquency/index.ts'
import { lockOpenCase, lockOwnCase } from '../cases/change-case.ts'
import { endCase } from '../cases/close-case.ts'
import { followPlan, recordInstallments, releaseDebts } from './follow-plan.ts'
import { mailBroken, remindOnce } from './mail-borrower.ts'
import { isPlan, lockPlanLoans, openPlan } from './open-plan.ts'
import { keepDebits, lockDebits } from './plan-debits.ts'
import {
  expectsNoMoney,
  type InstallmentRow,
  isBroken,
  lateFrom,
  OPEN_STATUSES,
  type Plan,
} from './rules.ts'
import { writePlan } from './store.ts'

const SLICE = 200

/**
 * Cancels a draft or live plan. The caller has locked the loans that the plan and its bills cover.
 */
export async function cancelPlan(tx: Tx, plan: RowKey, reason: string): Promise<void> {
  await endPlan(tx, await openPlan(tx, plan), 'cancel', reason)
}

/** Ends a plan, cancels its debits and unpaid installments, and resumes collecting its debts. */
async function endPlan(
  tx: Tx,
  before: Plan,
  trigger: 'cancel' | 'break',
  reason: string,
): Promise<void> {
  const ended = step('installment_plan', before.plan, trigger)
  const after = {
    ...before,
    plan: { ...before.plan, status: ended.to },
    installments: before.installments.map(one =>
      expectsNoMoney(one) ? one : { ...one, status: 'CANCELED' as const },
    ),
  }
  await writePlan(tx, before, after)
  recordSteps(tx, [ended], reason)
  recordInstallments(tx, before, after, 'cancel', reason)
  await keepDebits(tx, after, await lockDebits(tx, before))
  await releaseDebts(tx, after)
}

/** Closes a case on request, after canceling its plans, so that its debts are due again. */
export async function closeCaseManually(
  tx: Tx,
  partner_id: string,
  id: string,
  reason: string,
): Promise<void> {
  const plans = await lockPlanLoans(
    tx,
    sql`p.case_id = ${id} and p.partner_id = ${partner_id}
      and p.status in ('DRAFT', 'SCHEDULED', 'ACTIVE')`,
  )
  const ended = await lockOpenCase(tx, partner_id, id)
  for (const plan of plans) await cancelPlan(tx, plan, 'the case is closed')
  // Canceling its last plan may already have closed the case.
  const { status } = await lockOwnCase(tx, partner_id, id)
  if (status === 'OPEN') await endCase(tx, ended, reason)
}

/**
 * Starts plans whose first installment is due, and breaks plans with an installment unpaid beyond
 * its grace period, each in its own transaction. Safe to repeat. A failing plan does not hold up
 * the others.
 */
export function followPlans(today: Day): Paged<RowKey> {
  return {
    what: 'plans to follow',
    read: (tx, _, last = BEFORE_ALL_KEYS) => plansDue(tx, today, last),
    work: (database, page, failures) =>
      runIndividually(database, page, failures, (tx, plan) => checkOverdue(tx, plan, today)),
  }
}

async function plansDue(tx: Tx, today: Day, after: RowKey): Promise<RowKey[]> {
  return tx.all(sql<RowKey>`
    select p.partner_id, p.id from installment_plans p
    where p.status in ('SCHEDULED', 'ACTIVE') and ${followKey(after, 'p')}
      and exists (select from plan_installments i
        where i.partner_id = p.partner_id and i.plan_id = p.id
          and i.status in ('SCHEDULED', 'PARTIALLY_PAID', 'ISSUE_DETECTED')
          and (p.status = 'SCHEDULED' and i.due_on <= ${today}
            or i.due_on + p.grace_days < ${today}))
    order by p.partner_id, p.id limit ${SLICE}`)
}

/**
 * Sends reminders of overdue installments for plans that are not contractual, each plan in its own
 * transaction. Safe to repeat.
 */
export function remindOfPlans(today: Day): Paged<RowKey> {
  return {
    what: 'plans to remind of',
    read: (tx, _, last = BEFORE_ALL_KEYS) => plansOverdue(tx, today, last),
    work: (database, page, failures) =>
      runIndividually(database, page, failures, async (tx, plan) => {
        await lockPlanLoans(tx, isPlan(plan))
        await remindOnce(tx, await openPlan(tx, plan))
        return 1
      }),
  }
}

/** Non-contractual plans with an overdue installment that no reminder has mentioned. */
async function plansOverdue(tx: Tx, today: Day, after: RowKey): Promise<RowKey[]> {
  return tx.all(sql<RowKey>`
    select p.partner_id, p.id from installment_plans p
    where p.status in ('SCHEDULED', 'ACTIVE') and not p.is_contractual and ${followKey(after, 'p')}
      and exists (select from plan_installments i
        where i.partner_id = p.partner_id and i.plan_id = p.id
          and i.status in ('SCHEDULED', 'PARTIALLY_PAID', 'ISSUE_DETECTED')
          and i.due_on < ${today} and i.reminded_on is null)
    order by p.partner_id, p.id limit ${SLICE}`)
}

async function checkOverdue(tx: Tx, plan: RowKey, today: Day): Promise<number> {
  await lockPlanLoans(tx, isPlan(plan))
  const state = await followPlan(tx, await openPlan(tx, plan))
  if (!OPEN_STATUSES.includes(state.plan.status)) return 1
  const unpaid = await firstUnpaid(tx, state, today)
  if (unpaid) {
    await endPlan(tx, state, 'break', `installment ${unpaid.position} is not paid`)
    await mailBroken(tx, state, unpaid)
  } else await remindOnce(tx, state)
  return 1
}

/**
 * Runs the daily follow-up at once for a plan in which a return has left an installment overdue.
 */
export async function followOverduePlan(
  tx: Tx,
  { partner_id, plan_id: id, borrower_id }: JobData['follow_overdue_plan'],
): Promise<void> {
  await checkOverdue(tx, { partner_id, id }, tx.today)
  reviewLate(tx, [{ partner_id, id: borrower_id }])
}

/** The first installment that is unpaid beyond its grace period. */
async function firstUnpaid(tx: Tx, state: Plan, today: Day): Promise<InstallmentRow | undefined> {
  const { grace_days } = state.plan
  const late = state.installments.filter(
    one => !expectsNoMoney(one) && isBroken(one.due_on, grace_days, today),
  )
  const debits = late.length > 0 ? await lockDebits(tx, state) : []
  return late.find(one => {
    const own = debits.filter(debit => debit.installment_id === one.id)
    // An installment with a pending debit is not overdue, even if the debit is held or its outcome
    // unknown.
    if (own.some(isPending)) return false
    const last = own.findLast(debit => debit.status !== 'CANCELED')
    return isBroken(lateFrom(one, last), grace_days, today)
  })
}
