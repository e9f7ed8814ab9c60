/** Suspends a bill's planned payments while a payment plan settles the bill or its loans. */
import { sql } from 'kysely'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { moveBillsToPlan, versionsOf } from '../store.ts'
import { planBillPayments } from './plan-bill-payments.ts'

/**
 * Reduces or cancels the planned payments of these bills, of their other versions, and of bills
 * with lines for the loans in `loan_ids`.
 */
export async function billsEnterPlan(
  tx: Tx,
  { partner_id, id: plan_id }: RowKey,
  about: { loan_ids: readonly string[]; bill_ids: readonly string[] },
): Promise<void> {
  const bill_ids = await versionsOf(tx, partner_id, about.bill_ids)
  const which = sql`b.id = any(${bill_ids}::uuid[])`
  const bills = await moveBillsToPlan(tx, partner_id, which, plan_id, about.loan_ids)
  await planBillPayments(tx, bills)
}

/** Plans payments again for the plan's bills, and for bills with lines for these loans. */
export async function billsLeavePlan(
  tx: Tx,
  { partner_id, id: plan_id }: RowKey,
  loan_ids: readonly string[],
): Promise<void> {
  const which = sql`b.installment_plan_id = ${plan_id}`
  const bills = await moveBillsToPlan(tx, partner_id, which, null, loan_ids)
  await planBillPayments(tx, bills)
}
