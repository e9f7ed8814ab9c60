/** Starts a draft plan in place of earlier collections and plans. Runs as a job; safe to repeat. */
import { sql } from 'kysely'
import { move } from '../../../platform/db/move.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { billsEnterPlan, versionsOf } from '../../bills/index.ts'
import { enterPlan } from '../../loans/index.ts'
import { cancelPlan } from './end-plans.ts'
import { followPlan } from './follow-plan.ts'
import { isPlan, lockPlanLoans, openPlan } from './open-plan.ts'
import { idsOf } from './rules.ts'

/** Moves DRAFT to SCHEDULED, and cancels older plans of the same case, loans or bills. */
export async function startPlan(tx: Tx, key: RowKey): Promise<void> {
  await lockPlanLoans(tx, isPlan(key))
  const { partner_id, id: plan_id } = key
  const { plan, installments, parts } = await openPlan(tx, key)
  if (plan.status !== 'DRAFT') return
  const about = { loan_ids: idsOf(parts, 'loan_id'), bill_ids: idsOf(parts, 'bill_id') }
  await enterPlan(tx, plan, about.loan_ids)
  await billsEnterPlan(tx, plan, about)
  const bill_ids = await versionsOf(tx, partner_id, about.bill_ids)
  const older = await tx.all(sql<RowKey>`
    select o.partner_id, o.id from installment_plans o
    where o.partner_id = ${partner_id} and o.borrower_id = ${plan.borrower_id}
      and o.id < ${plan_id}
      and o.status in ('DRAFT', 'SCHEDULED', 'ACTIVE')
      and (o.case_id = ${plan.case_id} or exists (select from plan_installments i
        join installment_parts p on p.partner_id = i.partner_id and p.installment_id = i.id
        where i.partner_id = o.partner_id and i.plan_id = o.id
          and (p.loan_id = any(${about.loan_ids}::uuid[])
          or p.bill_id = any(${bill_ids}::uuid[])))) order by o.id`)
  for (const other of older) await cancelPlan(tx, other, 'another plan took its place')
  await move(tx, 'installment_plan', [plan], 'schedule')
  await move(tx, 'installment', installments, 'schedule')
  if (plan.is_contractual) enqueue(tx, 'write_plan_agreement', { partner_id, plan_id })
  // Read again, because statuses have changed and the earlier plans have ended.
  await followPlan(tx, await openPlan(tx, key))
}
