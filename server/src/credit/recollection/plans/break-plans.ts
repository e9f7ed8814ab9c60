/** The daily run that starts plans at their first installment and breaks those left unpaid. */
import { sql } from 'kysely'
import { isPending } from '../../../money/payments/index.ts'
import type { Actor } from '../../../platform/db/move.ts'
import { type Paged, runIndividually } from '../../../platform/db/slices.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { lockLoanMoney } from '../../loans/index.ts'
import { endPlan } from './end-plan.ts'
import { followPlan, LIVE, lateFrom, loansOfPlan, lockPlanState } from './follow-plan.ts'
import { lockDebits } from './plan-debits.ts'
import { isBroken } from './rules.ts'
import { mailBroken } from './tell-borrower.ts'

const SERVICE: Actor = 'service'

const SLICE = 200

/**
 * Processes and counts plans, each in its own transaction. Safe to repeat. A failing plan does not
 * hold up the others.
 */
export function followPlans(today: Day): Paged {
  return {
    what: 'plans to follow',
    read: (tx, after) => plansDue(tx, today, after),
    work: (database, page, failures) =>
      runIndividually(database, page, failures, (tx, id) => followDay(tx, id, today)),
  }
}

/** Plans to start, and plans with an installment beyond its grace period. */
async function plansDue(tx: Tx, today: Day, after: string): Promise<{ id: string }[]> {
  return tx.all(sql<{ id: string }>`
    select p.id from installment_plans p
    where p.status in ('SCHEDULED', 'ACTIVE') and p.id > ${after}
      and exists (select from plan_installments i
        where i.plan_id = p.id and i.status in ('SCHEDULED', 'PARTIALLY_PAID', 'ISSUE_DETECTED')
          and (p.status = 'SCHEDULED' and i.due_on <= ${today}
            or i.due_on + p.grace_days < ${today}))
    order by p.id limit ${SLICE}`)
}

async function followDay(tx: Tx, plan_id: string, today: Day): Promise<number> {
  await lockLoanMoney(tx, await loansOfPlan(tx, plan_id))
  await followPlan(tx, SERVICE, plan_id)
  const state = await lockPlanState(tx, plan_id)
  if (!LIVE.includes(state.plan.status)) return 1
  const debits = await lockDebits(tx, state.installments)
  const unpaid = state.installments.find(one => {
    if (one.status === 'PAID' || one.status === 'CANCELED') return false
    const own = debits.filter(debit => debit.installment_id === one.id)
    // A debit that was stopped, or whose outcome is unknown, does not make the borrower late.
    if (own.some(isPending)) return false
    const last = own.findLast(debit => debit.status !== 'CANCELED')
    return isBroken(lateFrom(one, last), state.plan.grace_days, today)
  })
  if (unpaid) {
    await endPlan(tx, SERVICE, state, 'break', `installment ${unpaid.position} is not paid`)
    await mailBroken(tx, state, unpaid)
  }
  return 1
}
