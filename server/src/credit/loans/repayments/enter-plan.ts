/** Suspends a loan's debits while a payment plan settles it. */
import { sql } from 'kysely'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { planCollections } from './plan-collections.ts'
import { type DueInPlan, moveLoansToPlan, setPlanDue } from './plan-store.ts'

/** Moves locked loans into a plan, and cancels their planned debits. */
export async function enterPlan(
  tx: Tx,
  { partner_id, id: plan_id }: RowKey,
  loan_ids: readonly string[],
): Promise<void> {
  const which = sql`l.id = any(${loan_ids}::uuid[])`
  const loans = await moveLoansToPlan(tx, partner_id, which, plan_id)
  await planCollections(tx, loans)
}

/**
 * Takes the remaining loans out of a plan, so that their agreed due dates apply again. Returns
 * their ids.
 */
export async function leavePlan(tx: Tx, { partner_id, id: plan_id }: RowKey): Promise<string[]> {
  const which = sql`l.installment_plan_id = ${plan_id}`
  const loans = await moveLoansToPlan(tx, partner_id, which, null)
  await planCollections(tx, loans)
  return loans.map(({ loan }) => loan.id)
}

/**
 * Records each loan's oldest unpaid due date in its plan, from which its days past due then count;
 * null if the plan expects nothing more for the loan.
 */
export async function notePlanDue(
  tx: Tx,
  partner_id: string,
  loans: readonly DueInPlan[],
): Promise<void> {
  if (loans.length > 0) await setPlanDue(tx, partner_id, loans)
}
