/** The only SQL that writes which plan settles a loan. */
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'

/** Sets the plan that settles loans; null if they are collected on their own again. */
export async function setPlan(
  tx: Tx,
  loan_ids: readonly string[],
  plan_id: string | null,
): Promise<void> {
  await tx.run(sql`
    update loans set installment_plan_id = ${plan_id}, plan_due_on = null
    where id = any(${loan_ids}::uuid[])`)
}

export interface DueInPlan {
  readonly loan_id: string
  readonly due_on: Day | null
}

export async function setPlanDue(tx: Tx, loans: readonly DueInPlan[]): Promise<void> {
  await tx.run(sql`
    update loans l set plan_due_on = n.due_on
    from unnest(${loans.map(l => l.loan_id)}::uuid[], ${loans.map(l => l.due_on)}::date[])
      as n (id, due_on) where l.id = n.id`)
}
